#include "formats/core/frames/parts.h"

#include "formats/core/frames/names.h"

namespace plainfs::frames {

namespace {

ArrayPtr where(ArrayPtr array, bool (*may_be)(const Array&)) {
  return array && may_be(*array) ? array : nullptr;
}

}  // namespace

bool is_broken(const Array& array) {
  return dynamic_cast<const BrokenArray*>(&array) != nullptr;
}

ArrayPtr part_of(const Group& group, std::string_view name) {
  try {
    return find_array(group, name);
  } catch (const Error& error) {
    return std::make_shared<BrokenArray>(text_type(), error);
  }
}

GroupPtr group_part_of(const Group& group, std::string_view name) {
  try {
    return find_group(group, name);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return nullptr;
  }
}

bool may_be_list(const Array& array) {
  return is_broken(array) || (array.shape().size() == 1 && !array.is_null());
}

bool may_be_text(const Array& array) {
  return may_be_list(array) && is_text(array.dtype());
}

bool may_be_names(const Array& array, uint64_t length) {
  return may_be_text(array) && (is_broken(array) || array.count() == length);
}

bool may_be_integers(const Array& array) {
  const Kind kind = array.dtype().kind;
  return is_broken(array) ||
         (may_be_list(array) && (kind == Kind::integer || kind == Kind::unsigned_integer));
}

ArrayPtr list_part_of(const Group& group, std::string_view name) {
  return where(part_of(group, name), may_be_list);
}

ArrayPtr text_part_of(const Group& group, std::string_view name) {
  return where(part_of(group, name), may_be_text);
}

ArrayPtr integer_part_of(const Group& group, std::string_view name) {
  return where(part_of(group, name), may_be_integers);
}

namespace {

// Returns the array of a part. A missing part gives an array that throws the reason, and sets `error`.
ArrayPtr part_of(const Group& group, std::string_view name, std::optional<Error>& error) {
  try {
    if (ArrayPtr part = find_array(group, name)) return part;
    throw damaged("{}: {} of a sparse matrix is missing", group.path(), name);
  } catch (const Error& absent) {
    if (!error) error = absent;
    return std::make_shared<BrokenArray>(number_type(Kind::integer, 8), absent);
  }
}

bool is_array(const Group& group, std::string_view name) {
  const std::optional<Node> node = group.find(name);
  return node &&
         (std::holds_alternative<LabelledArray>(node->content) ||
          std::holds_alternative<Error>(node->content) || std::holds_alternative<Link>(node->content));
}

}  // namespace

bool has_compressed_parts(const Group& group) {
  return is_array(group, "data") && is_array(group, "indices") && is_array(group, "indptr");
}

SparseMatrix compressed_parts(const Group& group) {
  SparseMatrix matrix;
  matrix.value = part_of(group, "data", matrix.error);
  matrix.index = part_of(group, "indices", matrix.error);
  matrix.pointer = part_of(group, "indptr", matrix.error);
  return matrix;
}

SparseMatrix compressed_matrix(const Group& group, const MatrixShape& shape, bool by_row, bool transposed) {
  SparseMatrix matrix = compressed_parts(group);
  matrix.rows = transposed ? shape.columns : shape.rows;
  matrix.columns = transposed ? shape.rows : shape.columns;
  matrix.by_row = by_row != transposed;
  return matrix;
}

}  // namespace plainfs::frames
