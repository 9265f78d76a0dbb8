#include "formats/schemas/takane/delayed_seed.h"

#include <algorithm>

#include "formats/containers/hdf5/container.h"
#include "formats/core/frames/compressed.h"
#include "formats/core/model/derived_array.h"
#include "formats/schemas/takane/common_type.h"
#include "formats/schemas/takane/compressed_sparse_matrix.h"
#include "formats/schemas/takane/dense_array.h"
#include "formats/schemas/takane/directory_group.h"
#include "formats/schemas/takane/gathered.h"
#include "formats/schemas/takane/lists.h"
#include "formats/schemas/takane/scalars.h"
#include "formats/schemas/takane/side_names.h"
#include "formats/schemas/takane/typed_values.h"

namespace plainfs::takane {
namespace {

// The values of chihaya's datasets by their attribute type, as typed_values has them.
std::string takane_type(const ArrayPtr& data) {
  const std::string type = scalar_text(hdf5::attribute(*data, "type")).value_or("");
  if (type == "BOOLEAN") return "boolean";
  if (type == "INTEGER") return "integer";
  if (type == "FLOAT") return "number";
  if (type == "STRING") return "string";
  throw damaged("the type is BOOLEAN, INTEGER, FLOAT or STRING, not '{}'", type);
}

ArrayPtr chihaya_values(const ArrayPtr& data, const ObjectPlace& place, Context& context) {
  const ArrayPtr placeholder = hdf5::attribute(*data, "missing_placeholder");
  return typed_values(data, takane_type(data), placeholder, "none", {"array", place.path}, context);
}

ArrayPtr require_data(const Group& node) {
  ArrayPtr data = find_array(node, "data");
  if (!data) throw damaged("{} has data", node.path());
  return data;
}

// The names in the list dimnames of a seed, in the order of the dimensions of the file.
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
    array.dense = in_object_order(as_column_major(array.dense));
    std::reverse(array.names.begin(), array.names.end());
  }
  array.shape = array.dense->shape();
  return array;
}

// value: as the file means it.
void set_sparse(Delayed& array, const SparseMatrix& matrix) {
  array.shape = {matrix.rows, matrix.columns};
  array.by_row = matrix.by_row;
  array.is_real = matrix.is_real;
  array.sparse = compressed_source(matrix.value, matrix.index, matrix.pointer,
                                   matrix.by_row ? matrix.rows : matrix.columns,
                                   matrix.by_row ? matrix.columns : matrix.rows);
}

Delayed sparse_seed(const Group& node, const ObjectPlace& place, Context& context) {
  SparseMatrix matrix = frames::compressed_parts(node);
  if (matrix.error) throw *matrix.error;
  const std::string type = takane_type(matrix.value);
  if (type == "string") throw damaged("a sparse matrix is of numbers or truth values");
  matrix.is_real = type == "number";
  matrix.value = chihaya_values(matrix.value, place, context);
  if (type == "boolean") matrix.value = with_type(matrix.value, number_type(Kind::boolean, 1));
  const frames::MatrixShape shape = read_matrix_shape(node);
  matrix.rows = shape.rows;
  matrix.columns = shape.columns;
  // By column where there is no by_column, as before version 1.0.
  matrix.by_row = node.find("by_column") && scalar_number(find_array(node, "by_column"), "by_column") == 0;
  Delayed array;
  set_sparse(array, matrix);
  array.names = stored_names(node, array.shape, place, context);
  return array;
}

class ConstantArray : public Array {
 public:
  ConstantArray(DType dtype, Shape shape, Elements value)
      : Array(std::move(dtype), std::move(shape)), value_(std::move(value)) {}
  Elements read(const Box& box) const override {
    check_inside(box, shape());
    return repeated_element(dtype(), value_, element_count(box.extent));
  }
  std::optional<Elements> repeated(const Box&) const override { return value_; }
  Shape chunk_shape() const override {
    constexpr uint64_t kElements = 1 << 16;
    Shape chunk(shape().size(), 1);
    if (!chunk.empty()) chunk.back() = std::clamp<uint64_t>(shape().back(), 1, kElements);
    return chunk;
  }

 private:
  const Elements value_;
};

Delayed constant_seed(const Group& node, const ObjectPlace& place, Context& context) {
  const ArrayPtr value = find_array(node, "value");
  if (!value || !value->shape().empty() || value->is_null()) throw damaged("a constant array has a value");
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
  array.dense = std::make_shared<ConstantArray>(meant->dtype(), array.shape, read_all(*meant));
  return array;
}

Delayed of_dense_object(const Opening& opening) {
  const Node node = open_dense_array(opening);
  const std::optional<Node> member = node.parts->find("dense_array");
  if (const Error* error = std::get_if<Error>(&member->content)) throw *error;
  const LabelledArray& stored = std::get<LabelledArray>(member->content);
  if (stored.labels) stored.labels->check();  // it says what is wrong
  Delayed array;
  array.dense = in_object_order(stored.values);
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
  if (seed.depth > kMostNested) throw damaged("objects are nested more than {} deep", kMostNested);
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

}  // namespace plainfs::takane
