#include "formats/schemas/takane/delayed_tree.h"

#include <algorithm>
#include <numeric>

#include "formats/containers/hdf5/container.h"
#include "formats/schemas/takane/common_type.h"
#include "formats/schemas/takane/computed_matrix.h"
#include "formats/schemas/takane/delayed_seed.h"
#include "formats/schemas/takane/directory_group.h"
#include "formats/schemas/takane/gathered.h"
#include "formats/schemas/takane/lists.h"
#include "formats/schemas/takane/scalars.h"
#include "formats/schemas/takane/side_names.h"
#include "formats/schemas/takane/text_columns.h"

namespace plainfs::takane {
namespace {

constexpr unsigned kDeepestTree = 256;                // operations one in the other
constexpr uint64_t kMostIndices = uint64_t{1} << 27;  // of a subset: 1 GiB
constexpr uint64_t kMostSeeds = 1 << 16;

std::string text_of_attribute(const Group& group, const char* name) {
  const std::optional<std::string> text = scalar_text(hdf5::attribute(group, name));
  if (!text) throw damaged("{}: the attribute {} is a text", group.path(), name);
  return *text;
}

GroupPtr require_group(const Group& group, const char* name) {
  GroupPtr found = find_group(group, name);
  if (!found) throw damaged("{} has a group {}", group.path(), name);
  return found;
}

Indices read_indices(const Group& lists, const std::string& number) {
  const ArrayPtr list = require_integers(lists, number.c_str());
  if (list->count() > kMostIndices) throw unsupported("a subset of {} indices is too large", list->count());
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
    if (kind != "operation") throw damaged("delayed_type is operation or array, not '{}'", kind);
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
    if (sorted != all) throw damaged("the permutation of a transpose is none of {} dimensions", all.size());
    const Delayed before = array;
    for (size_t d = 0; d < axes.size(); ++d) {
      array.shape[d] = before.shape[axes[d]];
      array.names[d] = before.names[axes[d]];
    }
    if (axes == all) return array;
    array.by_row = !array.by_row;  // a sparse one has two dimensions
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
      if (i == kMostSeeds) throw unsupported("more than {} arrays are combined", kMostSeeds);
      seeds.push_back(read(*require_group(*group, std::to_string(i).c_str()), depth + 1));
    }
    if (seeds.empty()) throw damaged("nothing is combined");
    return combine(std::move(seeds), along);
  }

  static Delayed combine(std::vector<Delayed> seeds, uint64_t along) {
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

  // Along the dimension joined where all have them, else nobody's; on the other sides the first.
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

  static void join_values(std::vector<Delayed>& seeds, uint64_t along, Delayed& all) {
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
      EntrySourcePtr source = seed.by_row == by_row ? seed.sparse : flipped(seed.sparse);
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
