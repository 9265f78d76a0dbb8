#include <algorithm>

#include "formats/h5seurat/labels.h"
#include "formats/h5seurat/r_array.h"
#include "formats/h5seurat/shapes.h"

namespace plainfs::h5seurat {
namespace {

struct Dims {
  uint64_t rows = 0;
  uint64_t columns = 0;
};

// Two counts in an attribute; nullopt where there is no such attribute.
std::optional<Dims> dims_in(const Attributes& attributes, std::string_view name, bool reversed) {
  const Json* value = find_attribute(attributes, name);
  if (!value) return std::nullopt;
  const Json::List* list = value->list();
  std::vector<uint64_t> numbers;
  if (list)
    for (const Json& item : *list)
      if (const auto number = item.as_uint64()) numbers.push_back(*number);
  if (!list || list->size() != 2 || numbers.size() != 2)
    throw damaged("{} is not two counts: {}", name, to_json_text(*value));
  return reversed ? Dims{numbers[1], numbers[0]} : Dims{numbers[0], numbers[1]};
}

uint64_t rows_by_index(const Array& indices) {
  constexpr uint64_t kBlock = 1 << 20;
  uint64_t rows = 0;
  const uint64_t count = indices.count();
  for (uint64_t first = 0; first < count; first += kBlock) {
    const Elements block = indices.read(range(first, std::min(kBlock, count - first)));
    visit_number(indices.dtype(), [&](auto number) {
      using T = decltype(number);
      if constexpr (std::is_integral_v<T>)
        for (const T index : block.values<T>())
          if (index >= 0) rows = std::max(rows, static_cast<uint64_t>(index) + 1);
    });
  }
  return rows;
}

// As SeuratDisk reads it (its as.sparse for groups): dims, else AnnData's attributes, which are cells by
// genes, else the parts.
Dims dims_of(const SeuratFile& file, const Attributes& attributes, const SparseMatrix& matrix,
             const Place& place) {
  if (const auto dims = dims_in(attributes, "dims", false)) return *dims;
  if (const auto dims = dims_in(attributes, "h5sparse_shape", true)) return *dims;
  if (const auto dims = dims_in(attributes, "shape", true)) return *dims;
  if (matrix.pointer->count() == 0) throw damaged("indptr is empty");
  const ArrayPtr names = row_label_list(file, place);
  if (names) names->check();
  const uint64_t needed = rows_by_index(*matrix.index);
  return {names && names->count() >= needed ? names->count() : needed, matrix.pointer->count() - 1};
}

// Convert copies a compressed-column matrix of cells by genes as if it were compressed by row; only where it
// is not square does the length of indptr show it.
void check_orientation(const Attributes& attributes, const SparseMatrix& matrix) {
  const auto encoding = texts_of(attributes, "encoding-type");
  if (!encoding.empty() && encoding[0] == "csc_matrix" && matrix.rows == matrix.columns)
    throw damaged("a square matrix that says it is compressed by the other axis");
}

}  // namespace

std::optional<SparseMatrix> sparse_of(const SeuratFile& file, const Group& group, const Place& place) {
  SparseMatrix matrix;
  matrix.value = find_array(group, "data");
  if (!matrix.value) return std::nullopt;
  matrix.index = find_array(group, "indices");
  if (!matrix.index) return std::nullopt;
  matrix.pointer = find_array(group, "indptr");
  if (!matrix.pointer) return std::nullopt;
  matrix.value = r_array(std::move(matrix.value), {});
  try {
    const Attributes attributes = group.attributes();
    const Dims dims = dims_of(file, attributes, matrix, place);
    matrix.rows = dims.rows;
    matrix.columns = dims.columns;
    check_orientation(attributes, matrix);
    Labels labels = matrix_labels(file, place, dims.rows, dims.columns);
    matrix.row_names = std::move(labels.rows);
    matrix.column_names = std::move(labels.columns);
  } catch (const Error& error) {
    matrix.error = error;
  }
  return matrix;
}

}  // namespace plainfs::h5seurat
