#include <algorithm>

#include "formats/core/frames/parts.h"
#include "formats/core/sparse/lists.h"
#include "formats/schemas/h5seurat/labels.h"
#include "formats/schemas/h5seurat/r_array.h"
#include "formats/schemas/h5seurat/shapes.h"

namespace plainfs::h5seurat {
namespace {

using Dims = frames::MatrixShape;

// Returns two counts in an attribute; nullopt if it is absent.
std::optional<Dims> dims_in(const Attributes& attributes, std::string_view name, bool reversed) {
  std::optional<Dims> dims = frames::matrix_shape_in(attributes, name);
  if (dims && reversed) std::swap(dims->rows, dims->columns);
  return dims;
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

// Returns the size, like SeuratDisk's as.sparse for groups: from dims, else from AnnData's attributes, which
// are cells by genes, else from the parts.
Dims dims_of(const SeuratFile& file, const Attributes& attributes, const SparseMatrix& matrix,
             const Place& place) {
  if (const auto dims = dims_in(attributes, "dims", false)) return *dims;
  if (const auto dims = dims_in(attributes, "h5sparse_shape", true)) return *dims;
  if (const auto dims = dims_in(attributes, "shape", true)) return *dims;
  const uint64_t columns = major_count(*matrix.pointer);
  const ArrayPtr names = row_label_list(file, place);
  if (names) names->check();
  const uint64_t needed = rows_by_index(*matrix.index);
  return {names && names->count() >= needed ? names->count() : needed, columns};
}

// SeuratDisk's Convert copies a compressed-column matrix of cells by genes as if it were compressed by row.
// The length of indptr reveals this only if the matrix is not square.
void check_orientation(const Attributes& attributes, const SparseMatrix& matrix) {
  const auto encoding = attributes.texts("encoding-type");
  if (!encoding.empty() && encoding[0] == "csc_matrix" && matrix.rows == matrix.columns)
    throw damaged("the orientation of a square matrix of encoding-type csc_matrix is ambiguous");
}

}  // namespace

std::optional<SparseMatrix> sparse_of(const SeuratFile& file, const Group& group, const Place& place) {
  if (!frames::has_compressed_parts(group)) return std::nullopt;
  SparseMatrix matrix = frames::compressed_parts(group);
  if (matrix.error) throw *matrix.error;
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
