#include "formats/core/frames/compressed.h"

namespace plainfs::frames {
namespace {

// The array of a part; where there is none, one that says so, which error says too.
ArrayPtr part_of(const Group& group, std::string_view name, std::optional<Error>& error) {
  try {
    if (ArrayPtr part = find_array(group, name)) return part;
    throw damaged("{}: a sparse matrix without {}", group.path(), name);
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
