#include "formats/core/sparse/column_matrix.h"

#include "formats/core/sparse/column_order.h"

namespace plainfs {

namespace {

void check(const SparseMatrix& matrix) {
  if (matrix.error) throw *matrix.error;
  const DType& type = matrix.value->dtype();
  switch (type.kind) {
    case Kind::boolean:
    case Kind::logical:
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
      break;
    default:
      throw unsupported("a sparse matrix of {}", type.name());
  }
  check_extent_for_r(matrix.value->count(), "entries");
  check_extent_for_r(matrix.rows, "rows");
  check_extent_for_r(matrix.columns, "columns");
}

}  // namespace

void check_extent_for_r(uint64_t extent, const char* what) {
  if (extent > INT32_MAX)
    throw unsupported("{} {} are too many for R's sparse matrices; by/COLUMN/LEVEL/ has files of fewer cells",
                      extent, what);
}

ColumnMatrix::ColumnMatrix(const SparseMatrix& matrix, Context& context)
    : rows_(matrix.rows), columns_(matrix.columns), entries_(0) {
  check(matrix);
  if (matrix.by_row) {
    entries_ = SparseMajors(matrix).entries();
    order_ = std::make_shared<const LazyOrder>([matrix, &context] {
      return std::make_unique<const EntryOrder>(by_column(matrix, context), context);
    });
  } else {
    auto order = std::make_unique<const EntryOrder>(matrix, context);
    entries_ = order->entries();
    order_ = std::make_shared<const LazyOrder>(std::move(order));
  }
}

ColumnMatrixPtr ColumnMatrices::of(const SparseMatrix& matrix) {
  for (const auto& [known, by_column] : known_)
    if (known.value == matrix.value && known.index == matrix.index && known.pointer == matrix.pointer &&
        known.by_row == matrix.by_row)
      return by_column;
  known_.push_back({matrix, std::make_shared<const ColumnMatrix>(matrix, context_)});
  return known_.back().by_column;
}

}  // namespace plainfs
