// The sparse classes of the package Matrix.
#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/text/number_loops.h"
#include "fs/layout/array_segment.h"
#include "fs/layout/entry_segments.h"
#include "fs/views/matrix/checked_numbers.h"
#include "fs/views/r/rds.h"
#include "fs/views/r/rds_writer.h"

namespace plainfs {

namespace {

// The beginnings of the columns (rows) as a segment.
class PointerSegment : public Segment {
 public:
  PointerSegment(std::shared_ptr<const LazyOrder> order, uint64_t count)
      : order_(std::move(order)), size_(checked_multiply(count, 4)) {}

  uint64_t size() const override { return size_; }

  void read(const Wanted& wanted) const override {
    const Array& pointer = *order_->get().matrix().pointer;
    const uint64_t first = wanted.offset / 4;
    const uint64_t count = divide_up(wanted.offset + wanted.out.size(), 4) - first;
    const Elements elements = read_run(pointer, first, count);
    read_elements(wanted, 4, [&](uint64_t from, uint64_t some, std::byte* out) {
      r_integer().write(pointer.dtype(), elements, from - first, some, out);
    });
  }

 private:
  const std::shared_ptr<const LazyOrder> order_;
  const uint64_t size_;
};

void check_is_number(const DType& type) {
  if (!type.is_numeric() && type.kind != Kind::enumeration)
    throw unsupported("a sparse matrix of {}", type.name());
}

// Writes names; names that do not fit are left out, as in the other files.
void put_names(const ArrayPtr& names, uint64_t extent, RdsWriter& out) {
  if (names) names->check();
  if (names && extent > 0 && names->count() == extent)
    out.texts(names);
  else
    out.null();
}

void put_dimensions(uint64_t rows, uint64_t columns, RdsWriter& out) {
  out.attribute("Dim");
  out.vector(RVector::integer, 2);
  out.integer(static_cast<int32_t>(rows));
  out.integer(static_cast<int32_t>(columns));
  out.attribute("Dimnames");
  out.vector(RVector::list, 2);
}

// is_lower: only the lower triangle of a symmetric matrix is stored.
void put_x(RVector type, uint64_t entries, SegmentPtr values, RdsWriter& out, bool is_lower = false) {
  out.attribute("x");
  out.vector(type, entries);
  out.data(std::move(values));
  if (is_lower) {
    out.attribute("uplo");
    out.texts({"L"});
  }
  out.attribute("factors");
  out.vector(RVector::list, 0);
}

// Writes the slots that follow the indices in every class. Matrix: SparseMatrix or CoordinateMatrix; shape:
// "gCMatrix".
template <class Matrix>
void put_values(const Matrix& matrix, const std::string& shape, SegmentPtr values, RdsWriter& out,
                bool is_lower = false) {
  const bool are_truth = matrix.value->dtype().is_truth();
  put_dimensions(matrix.rows, matrix.columns, out);
  put_names(matrix.row_names, matrix.rows, out);
  put_names(matrix.column_names, matrix.columns, out);
  put_x(are_truth ? RVector::logical : RVector::real, matrix.value->count(), std::move(values), out,
        is_lower);
  out.s4_class((are_truth ? "l" : "d") + shape, "Matrix");
}

using LazyOrderPtr = std::shared_ptr<const LazyOrder>;

void put_indices(const char* slot, const LazyOrderPtr& order, uint64_t entries, RdsWriter& out) {
  out.attribute(slot);
  out.vector(RVector::integer, entries);
  out.data(std::make_shared<IndexSegment>(order, entries));
}

void put_pointers(const LazyOrderPtr& order, uint64_t majors, RdsWriter& out) {
  out.attribute("p");
  out.vector(RVector::integer, majors + 1);
  if (majors == 0)
    out.integer(0);
  else
    out.data(std::make_shared<PointerSegment>(order, majors + 1));
}

template <class Matrix>
void check_extents(const Matrix& matrix) {
  check_is_number(matrix.value->dtype());
  check_extent_for_r(matrix.value->count(), "entries");
  check_extent_for_r(matrix.rows, "rows");
  check_extent_for_r(matrix.columns, "columns");
}

ElementForm value_form(const DType& type) {
  return type.is_truth() ? r_logical() : r_double();
}

}  // namespace

ByteLayout sparse_rds(const SparseMatrix& matrix, Context& context) {
  if (matrix.error) throw *matrix.error;
  check_extents(matrix);
  const auto order = std::make_shared<const LazyOrder>(std::make_unique<const EntryOrder>(matrix, context));
  const uint64_t entries = order->get().entries(), majors = order->get().major_count();
  RdsWriter out(context);
  out.s4_object();
  if (!matrix.by_row) put_indices("i", order, entries, out);
  put_pointers(order, majors, out);
  if (matrix.by_row) put_indices("j", order, entries, out);
  const ElementForm form = value_form(matrix.value->dtype());
  put_values(matrix, matrix.by_row ? "gRMatrix" : "gCMatrix",
             std::make_shared<ValueSegment>(order, entries, form), out);
  return out.finish();
}

void put_dgc_slots(const ColumnMatrix& matrix, const ArrayPtr& row_names, const ArrayPtr& column_names,
                   RdsWriter& out) {
  const uint64_t entries = matrix.entries();
  put_indices("i", matrix.order(), entries, out);
  put_pointers(matrix.order(), matrix.columns(), out);
  put_dimensions(matrix.rows(), matrix.columns(), out);
  for (const ArrayPtr& names : {row_names, column_names}) {
    if (names)
      out.texts(names);
    else
      out.null();
  }
  put_x(RVector::real, entries, std::make_shared<ValueSegment>(matrix.order(), entries, r_double()), out);
}

ByteLayout coordinates_rds(const CoordinateMatrix& matrix, Context& context) {
  for (const ArrayPtr& part : {matrix.row, matrix.column, matrix.value}) part->check();
  check_extents(matrix);
  RdsWriter out(context);
  out.s4_object();
  const auto put_places = [&](const char* slot, const ArrayPtr& indices, uint64_t extent, const char* what) {
    if (indices->count() != matrix.value->count())
      throw damaged("a sparse matrix has {} values and {} indices", matrix.value->count(), indices->count());
    out.attribute(slot);
    out.vector(RVector::integer, indices->count());
    out.data(array_segment(indices_below(indices, extent, what), r_integer(), context));
  };
  put_places("i", matrix.row, matrix.rows, "row");
  put_places("j", matrix.column, matrix.columns, "column");
  put_values(matrix, matrix.is_symmetric ? "sTMatrix" : "gTMatrix",
             array_segment(matrix.value, value_form(matrix.value->dtype()), context), out,
             matrix.is_symmetric);
  return out.finish();
}

}  // namespace plainfs
