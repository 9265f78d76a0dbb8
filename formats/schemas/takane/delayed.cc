#include "formats/schemas/takane/delayed.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "cache/mutex.h"
#include "formats/containers/hdf5/container.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/parts.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/sparse/computed_matrix.h"
#include "formats/schemas/takane/columns.h"
#include "formats/schemas/takane/lists.h"
#include "formats/schemas/takane/matrices.h"
#include "formats/schemas/takane/object.h"
#include "formats/schemas/takane/side_names.h"
#include "formats/schemas/takane/typed_values.h"
#include "formats/schemas/takane/vectors.h"

namespace plainfs::takane {
namespace {

constexpr const char* kDelayedArray = "delayed_array";

// Returns the array's own names, else the given ones, if they fit.
ArrayPtr names_on(size_t side, const Delayed& array, const ArrayPtr& given, const Opening& opening) {
  if (array.names[side]) return array.names[side];
  const std::string where = fmt::format("{}: {}", opening.place.path, side == 0 ? "rows" : "columns");
  return fitting_side(given, array.shape[side], where, opening.context);
}

SparseMatrix sparse_result(const Delayed& array, const Opening& opening) {
  SparseMatrix matrix;
  matrix.rows = array.shape[0];
  matrix.columns = array.shape[1];
  matrix.by_row = array.by_row;
  matrix.is_real = array.is_real;
  matrix.missing = array.is_real ? MissingEntries::shown_as_nan : MissingEntries::refused;
  matrix.row_names = names_on(0, array, opening.sides.rows, opening);
  matrix.column_names = names_on(1, array, opening.sides.columns, opening);
  matrix.error = array.error;
  matrix.evaluate = evaluated_once(
      [source = array.sparse, &context = opening.context] { return computed_lists(source, context); });
  return matrix;
}

Content dense_result(const Delayed& array, const Opening& opening) {
  if (array.error) return *array.error;
  LabelledArray shown{frames::as_written(array.dense), nullptr, nullptr};
  if (array.shape.size() != 2) return shown;
  shown.row_names = names_on(0, array, opening.sides.rows, opening);
  shown.column_names = names_on(1, array, opening.sides.columns, opening);
  return shown;
}

}  // namespace

Node open_delayed_array(const Opening& opening) {
  check_version(opening.object, kDelayedArray);
  const auto node_with = [&](Content own, std::vector<Member> members) {
    return Node{.content = std::move(own),
                .parts = object_group(opening.place, "array.h5", std::move(members), opening.context)};
  };
  try {
    TreeBudget budget;
    const Delayed array = read_delayed(opening.place, budget, opening.context);
    if (array.sparse) return node_with(sparse_result(array, opening), {});
    return node_with({}, {{kDelayedArray, Node{.content = dense_result(array, opening)}}});
  } catch (const Error& error) {
    return node_with({}, {{kDelayedArray, Node{.content = error}}});
  }
}

namespace {

// Returns the type, in the words of typed_values, for a chihaya dataset's attribute type.
std::string takane_type(const ArrayPtr& data) {
  const std::string type = scalar_text(hdf5::attribute(*data, "type")).value_or("");
  if (type == "BOOLEAN") return "boolean";
  if (type == "INTEGER") return "integer";
  if (type == "FLOAT") return "number";
  if (type == "STRING") return "string";
  throw damaged("the type is '{}', expected BOOLEAN, INTEGER, FLOAT or STRING", type);
}

ArrayPtr chihaya_values(const ArrayPtr& data, const ObjectPlace& place, Context& context) {
  const ArrayPtr placeholder = hdf5::attribute(*data, "missing_placeholder");
  return typed_values(data, takane_type(data), placeholder, "none", {"array", place.path}, context);
}

ArrayPtr require_data(const Group& node) {
  ArrayPtr data = find_array(node, "data");
  if (!data) throw damaged("{}: the dataset data is missing", node.path());
  return data;
}

// Returns the names in the list dimnames of a seed, in the file's order of dimensions.
std::vector<ArrayPtr> stored_names(const Group& node, const Shape& stored, const ObjectPlace& place,
                                   Context& context) {
  std::vector<ArrayPtr> names(stored.size());
  const GroupPtr lists = find_group(node, "dimnames");
  for (size_t d = 0; lists && d < stored.size(); ++d) {
    const std::string where = fmt::format("{}: names of dimension {}", place.path, d);
    names[d] = names_in_list(*lists, d, stored[d], where, context);
  }
  return names;
}

Delayed dense_seed(const Group& node, const ObjectPlace& place, Context& context) {
  const ArrayPtr data = require_data(node);
  const bool is_native = !node.find("native") || scalar_number(find_array(node, "native"), "native") != 0;
  Delayed array;
  array.names = stored_names(node, data->shape(), place, context);
  array.dense = chihaya_values(data, place, context);
  if (!is_native) {
    array.dense = in_row_order(as_column_major(array.dense));
    std::reverse(array.names.begin(), array.names.end());
  }
  array.shape = array.dense->shape();
  return array;
}

// Sets the shape and the values of array from matrix.
void set_sparse(Delayed& array, const SparseMatrix& matrix) {
  array.shape = {matrix.rows, matrix.columns};
  array.by_row = matrix.by_row;
  array.is_real = matrix.is_real;
  array.sparse = compressed_source(lists_of(matrix));
}

Delayed sparse_seed(const Group& node, const ObjectPlace& place, Context& context) {
  SparseMatrix matrix = frames::compressed_parts(node);
  if (matrix.error) throw *matrix.error;
  const std::string type = takane_type(matrix.value);
  if (type == "string")
    throw damaged("the type of a sparse matrix is STRING, expected numbers or truth values");
  matrix.is_real = type == "number";
  matrix.value = chihaya_values(matrix.value, place, context);
  if (type == "boolean") matrix.value = with_type(matrix.value, number_type(Kind::boolean, 1));
  const frames::MatrixShape shape = read_matrix_shape(node);
  matrix.rows = shape.rows;
  matrix.columns = shape.columns;
  // A matrix is by column if by_column is absent, as before version 1.0.
  matrix.by_row = node.find("by_column") && scalar_number(find_array(node, "by_column"), "by_column") == 0;
  Delayed array;
  set_sparse(array, matrix);
  array.names = stored_names(node, array.shape, place, context);
  return array;
}

Delayed constant_seed(const Group& node, const ObjectPlace& place, Context& context) {
  const ArrayPtr value = find_array(node, "value");
  if (!value || !value->shape().empty() || value->is_null())
    throw damaged("the value of a constant array is missing or not a scalar");
  const ArrayPtr extents = require_integers(node, "dimensions");
  Delayed array;
  const Elements stored = read_all(*extents);
  visit_number(extents->dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      for (const T extent : stored.values<T>()) {
        if (extent < 0) throw damaged("the dimension {} is negative", extent);
        array.shape.push_back(static_cast<uint64_t>(extent));
      }
  });
  element_count(array.shape);
  array.names.resize(array.shape.size());
  const ArrayPtr meant = chihaya_values(value, place, context);
  array.dense = constant(meant->dtype(), array.shape, read_all(*meant));
  return array;
}

Delayed of_dense_object(const Opening& opening) {
  const Node node = open_dense_array(opening);
  const std::optional<Node> member = node.parts->find("dense_array");
  if (const Error* error = std::get_if<Error>(&member->content)) throw *error;
  const LabelledArray& stored = std::get<LabelledArray>(member->content);
  if (stored.labels) stored.labels->check();  // throws the fault
  Delayed array;
  array.dense = in_row_order(stored.values);
  array.shape = array.dense->shape();
  array.names.resize(array.shape.size());
  if (array.shape.size() == 2) array.names = {stored.row_names, stored.column_names};
  return array;
}

Delayed of_sparse_object(const Opening& opening) {
  const Node node = open_compressed_sparse_matrix(opening);
  const SparseMatrix& matrix = std::get<SparseMatrix>(node.content);
  Delayed array;
  set_sparse(array, matrix);
  array.error = matrix.error;
  array.names = {matrix.row_names, matrix.column_names};
  return array;
}

Delayed takane_seed(const Group& node, const ObjectPlace& place, TreeBudget& budget, Context& context) {
  const uint64_t index = scalar_number(find_array(node, "index"), "index");
  const std::string name = fmt::format("seeds/{}", index);
  const ObjectPlace seed = place.inside("seeds", nullptr).inside(std::to_string(index), nullptr);
  if (seed.depth > kMaxNested) throw damaged("objects are nested more than {} deep", kMaxNested);
  try {
    context.files.bounds().check(seed.directory);
    const Opening opening{seed, read_object_file(seed.directory, context), {}, context};
    if (opening.object.type == "dense_array") return of_dense_object(opening);
    if (opening.object.type == "compressed_sparse_matrix") return of_sparse_object(opening);
    if (opening.object.type == "delayed_array") return read_delayed(seed, budget, context);
    throw unsupported("a delayed array over '{}'", opening.object.type);
  } catch (const Error& error) {
    throw error.at(name);
  }
}

}  // namespace

Delayed read_seed(const Group& node, const std::string& kind, const ObjectPlace& place, TreeBudget& budget,
                  Context& context) {
  if (kind == "dense array") return dense_seed(node, place, context);
  if (kind == "sparse matrix") return sparse_seed(node, place, context);
  if (kind == "constant array") return constant_seed(node, place, context);
  if (kind == "custom takane seed array") return takane_seed(node, place, budget, context);
  throw unsupported("the delayed array '{}'", kind);
}

namespace {

constexpr unsigned kDeepestTree = 256;               // nested operations
constexpr uint64_t kMaxIndices = uint64_t{1} << 27;  // of a subset: 1 GiB
constexpr uint64_t kMaxSeeds = 1 << 16;

std::string text_of_attribute(const Group& group, const char* name) {
  const std::optional<std::string> text = scalar_text(hdf5::attribute(group, name));
  if (!text) throw damaged("{}: the attribute \"{}\" is missing or not a text", group.path(), name);
  return *text;
}

GroupPtr require_group(const Group& group, const char* name) {
  GroupPtr found = find_group(group, name);
  if (!found) throw damaged("{}: the group {} is missing", group.path(), name);
  return found;
}

Indices read_indices(const Group& lists, const std::string& number) {
  const ArrayPtr list = require_integers(lists, number.c_str());
  if (list->count() > kMaxIndices) throw unsupported("a subset of {} indices is too large", list->count());
  auto indices = std::make_shared<std::vector<uint64_t>>();
  const Elements elements = read_all(*list);
  visit_number(list->dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      for (const T index : elements.values<T>()) indices->push_back(static_cast<uint64_t>(index));
  });
  return indices;
}

class TreeReader {
 public:
  TreeReader(const ObjectPlace& place, TreeBudget& budget, Context& context)
      : place_(place), budget_(budget), context_(context) {}

  Delayed read(const Group& node, unsigned depth) const {
    if (depth > kDeepestTree) throw damaged("delayed operations are nested more than {} deep", kDeepestTree);
    budget_.take();
    const std::string kind = text_of_attribute(node, "delayed_type");
    if (kind == "array")
      return read_seed(node, text_of_attribute(node, "delayed_array"), place_, budget_, context_);
    if (kind != "operation") throw damaged("delayed_type is '{}', expected operation or array", kind);
    const std::string operation = text_of_attribute(node, "delayed_operation");
    if (operation == "subset") return read_subset(node, depth);
    if (operation == "transpose") return read_transpose(node, depth);
    if (operation == "dimnames") return read_dimnames(node, depth);
    if (operation == "combine") return read_combine(node, depth);
    throw unsupported("the delayed operation '{}'", operation);
  }

 private:
  Delayed seed_of(const Group& node, unsigned depth) const {
    return read(*require_group(node, "seed"), depth + 1);
  }

  Delayed read_subset(const Group& node, unsigned depth) const {
    Delayed array = seed_of(node, depth);
    const GroupPtr lists = require_group(node, "index");
    for (size_t d = 0; d < array.shape.size(); ++d) {
      const std::string number = std::to_string(d);
      if (lists->find(number)) take_subset(array, d, read_indices(*lists, number));
    }
    return array;
  }

  static void take_subset(Delayed& array, size_t d, const Indices& indices) {
    const uint64_t extent = array.shape[d];
    array.shape[d] = indices->size();
    const auto beyond =
        std::find_if(indices->begin(), indices->end(), [&](uint64_t index) { return index >= extent; });
    if (beyond != indices->end()) {
      if (!array.error) array.error = damaged("index {} of a subset is not below {}", *beyond, extent);
      array.names[d] = nullptr;
    }
    if (array.error) return;
    if (array.names[d]) array.names[d] = subset(array.names[d], 0, indices);
    if (array.dense)
      array.dense = subset(array.dense, d, indices);
    else if ((d == 0) == array.by_row)
      array.sparse = major_subset(array.sparse, indices);
    else
      array.sparse = minor_subset(array.sparse, indices);
  }

  Delayed read_transpose(const Group& node, unsigned depth) const {
    Delayed array = seed_of(node, depth);
    const Indices permutation = read_indices(node, "permutation");
    std::vector<size_t> axes(permutation->begin(), permutation->end()), sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    std::vector<size_t> all(array.shape.size());
    std::iota(all.begin(), all.end(), size_t{0});
    if (sorted != all)
      throw damaged("the permutation of a transpose does not fit its {} dimensions", all.size());
    const Delayed before = array;
    for (size_t d = 0; d < axes.size(); ++d) {
      array.shape[d] = before.shape[axes[d]];
      array.names[d] = before.names[axes[d]];
    }
    if (axes == all) return array;
    array.by_row = !array.by_row;  // only sparse arrays use it, and they have two dimensions
    if (array.dense) array.dense = permuted(array.dense, axes);
    return array;
  }

  Delayed read_dimnames(const Group& node, unsigned depth) const {
    Delayed array = seed_of(node, depth);
    const GroupPtr lists = require_group(node, "dimnames");
    for (size_t d = 0; d < array.shape.size(); ++d) {
      const std::string where = fmt::format("{}: names of dimension {}", place_.path, d);
      array.names[d] = names_in_list(*lists, d, array.shape[d], where, context_);
    }
    return array;
  }

  Delayed read_combine(const Group& node, unsigned depth) const {
    const uint64_t along = scalar_number(find_array(node, "along"), "along");
    const GroupPtr group = require_group(node, "seeds");
    std::vector<Delayed> seeds;
    for (uint64_t i = 0; group->find(std::to_string(i)); ++i) {
      if (i == kMaxSeeds) throw unsupported("more than {} arrays are combined", kMaxSeeds);
      seeds.push_back(read(*require_group(*group, std::to_string(i).c_str()), depth + 1));
    }
    if (seeds.empty()) throw damaged("a combination has no arrays, expected at least one");
    return combine(std::move(seeds), along);
  }

  Delayed combine(std::vector<Delayed> seeds, uint64_t along) const {
    Delayed all = seeds.front();
    const size_t rank = all.shape.size();
    if (along >= rank) throw damaged("arrays of {} dimensions are combined along dimension {}", rank, along);
    for (size_t i = 1; i < seeds.size(); ++i) {
      Shape shape = seeds[i].shape;
      if (shape.size() != rank)
        throw damaged("arrays of {} and {} dimensions are combined", rank, shape.size());
      all.shape[along] += shape[along];
      shape[along] = all.shape[along];
      if (shape != all.shape)
        throw damaged("arrays of shapes ({}) and ({}) are combined along dimension {}",
                      fmt::join(seeds[0].shape, ", "), fmt::join(seeds[i].shape, ", "), along);
    }
    join_names(seeds, along, all);
    for (const Delayed& seed : seeds)
      if (seed.error && !all.error) all.error = seed.error;
    if (!all.error) join_values(seeds, along, all);
    return all;
  }

  // Joins the names: along the joined dimension, those of all seeds if each has some; on the other sides, the
  // first.
  static void join_names(const std::vector<Delayed>& seeds, uint64_t along, Delayed& all) {
    for (size_t d = 0; d < all.names.size(); ++d) {
      std::vector<ArrayPtr> lists;
      for (const Delayed& seed : seeds)
        if (seed.names[d]) lists.push_back(with_type(seed.names[d], text_type()));
      if (d == along)
        all.names[d] = lists.size() == seeds.size() ? combined(std::move(lists), 0) : nullptr;
      else
        all.names[d] = lists.empty() ? nullptr : lists.front();
    }
  }

  void join_values(std::vector<Delayed>& seeds, uint64_t along, Delayed& all) const {
    std::vector<DType> types;
    for (const Delayed& seed : seeds)
      types.push_back(seed.sparse ? seed.sparse->dtype() : seed.dense->dtype());
    const DType type = common_type(types);
    all.is_real = std::any_of(seeds.begin(), seeds.end(), [](const Delayed& seed) { return seed.is_real; });
    if (std::any_of(seeds.begin(), seeds.end(), [](const Delayed& seed) { return seed.dense; })) {
      std::vector<ArrayPtr> parts;
      for (const Delayed& seed : seeds)
        parts.push_back(with_type(seed.dense ? seed.dense : computed_dense(seed.sparse, seed.by_row), type));
      all.dense = combined(std::move(parts), along);
      all.sparse = nullptr;
      return;
    }
    const bool by_row =
        std::all_of(seeds.begin(), seeds.end(), [](const Delayed& seed) { return seed.by_row; });
    std::vector<EntrySourcePtr> sources;
    for (const Delayed& seed : seeds) {
      EntrySourcePtr source = seed.by_row == by_row ? seed.sparse : flipped(seed.sparse, context_);
      sources.push_back(converted(std::move(source), type));
    }
    all.by_row = by_row;
    all.sparse =
        (along == 0) == by_row ? major_combined(std::move(sources)) : minor_combined(std::move(sources));
  }

  const ObjectPlace place_;
  TreeBudget& budget_;
  Context& context_;
};

}  // namespace

void TreeBudget::take() {
  if (left == 0) throw unsupported("a delayed array of more than {} operations", TreeBudget().left);
  --left;
}

Delayed read_delayed(const ObjectPlace& place, TreeBudget& budget, Context& context) {
  const GroupPtr root = open_file_group(place, "array.h5", "delayed_array", context);
  return TreeReader(place, budget, context).read(*root, 0);
}

}  // namespace plainfs::takane
