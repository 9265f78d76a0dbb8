// Matrix's sparse classes.
#include <algorithm>

#include "formats/core/base/checked.h"
#include "fs/native/array_segment.h"
#include "fs/native/checked_numbers.h"
#include "fs/native/entry_order.h"
#include "fs/native/rds.h"
#include "fs/native/rds_writer.h"
#include "fs/text/array_runs.h"
#include "fs/text/number_loops.h"

namespace plainfs {

namespace {

constexpr uint32_t kS4Object = 0x00010319;  // an object with attributes, and R's mark of S4

// The index of each entry, in R's order.
class IndexSegment : public Segment {
 public:
  explicit IndexSegment(std::shared_ptr<const EntryOrder> order)
      : order_(std::move(order)), size_(checked_multiply(order_->entries(), 4)) {}

  uint64_t size() const override { return size_; }

  void read(const Wanted& wanted) const override {
    const uint64_t first = wanted.offset / 4, last = divide_up(wanted.offset + wanted.out.size(), 4);
    const IndexRun<uint32_t> stored = order_->read_indices(first, last);
    const std::vector<uint64_t> places = order_->places(first, stored.values());
    const std::vector<uint32_t> sorted = places.empty() ? std::vector<uint32_t>() : gathered(places);
    const std::span<const uint32_t> indices = places.empty() ? stored.values() : sorted;
    read_elements(wanted, 4, [&](uint64_t from, uint64_t some, std::byte* out) {
      convert(indices.subspan(from - first, some), out,
              [](uint32_t index) { return __builtin_bswap32(index); });
    });
  }

  void passed(uint64_t begin, uint64_t end) const override {
    passed_run(*order_->matrix().index, begin / 4, (end - begin) / 4);
  }

 private:
  std::vector<uint32_t> gathered(const std::vector<uint64_t>& places) const {
    const auto [least, most] = std::minmax_element(places.begin(), places.end());
    const IndexRun<uint32_t> all = order_->read_indices(*least, *most + 1);
    std::vector<uint32_t> indices(places.size());
    for (size_t i = 0; i < places.size(); ++i) indices[i] = all.values()[places[i] - *least];
    return indices;
  }

  const std::shared_ptr<const EntryOrder> order_;
  const uint64_t size_;
};

// The value of each entry, in R's order.
class ValueSegment : public Segment {
 public:
  ValueSegment(std::shared_ptr<const EntryOrder> order, ElementForm form)
      : order_(std::move(order)),
        part_(order_->matrix().value),
        form_(form),
        size_(checked_multiply(order_->entries(), form.size)) {}

  uint64_t size() const override { return size_; }

  void read(const Wanted& wanted) const override {
    const uint64_t first = wanted.offset / form_.size;
    const uint64_t count = divide_up(wanted.offset + wanted.out.size(), form_.size) - first;
    const std::vector<uint64_t> places = order_->places(first, count);
    const Elements elements = places.empty() ? read_run(*part_, first, count) : gathered(places);
    read_elements(wanted, form_.size, [&](uint64_t from, uint64_t some, std::byte* out) {
      form_.write(part_->dtype(), elements, from - first, some, out);
    });
  }

  void passed(uint64_t begin, uint64_t end) const override {
    passed_run(*part_, begin / form_.size, (end - begin) / form_.size);
  }

 private:
  Elements gathered(const std::vector<uint64_t>& places) const {
    const auto [least, most] = std::minmax_element(places.begin(), places.end());
    const Elements all = read_run(*part_, *least, *most - *least + 1);
    const uint64_t size = part_->dtype().packed_size();
    Elements elements;
    elements.count = places.size();
    elements.bytes.resize(checked_size(places.size(), size));
    if (!all.missing.empty()) elements.missing.resize(places.size());
    for (size_t i = 0; i < places.size(); ++i) {
      const uint64_t from = places[i] - *least;
      std::memcpy(elements.bytes.data() + i * size, all.bytes.data() + from * size, size);
      if (!all.missing.empty()) elements.missing[i] = all.missing[from];
    }
    return elements;
  }

  const std::shared_ptr<const EntryOrder> order_;
  const ArrayPtr part_;
  const ElementForm form_;
  const uint64_t size_;
};

bool is_truth(const DType& type) {
  return type.kind == Kind::boolean || type.kind == Kind::logical;
}

void check_is_number(const DType& type) {
  const bool is_number = is_truth(type) || type.kind == Kind::integer ||
                         type.kind == Kind::unsigned_integer || type.kind == Kind::real ||
                         type.kind == Kind::enumeration;
  if (!is_number) throw unsupported("a sparse matrix of {}", type.name());
}

void check_extent(uint64_t extent, const char* what) {
  if (extent > INT32_MAX) throw unsupported("{} {} are more than R's sparse matrices can have", extent, what);
}

// Names that do not fit are not used, as beside them.
void put_names(const ArrayPtr& names, uint64_t extent, RdsWriter& out) {
  if (names) names->check();
  if (names && extent > 0 && names->count() == extent)
    out.texts(names);
  else
    out.null();
}

// What every class has after its indices. Matrix: SparseMatrix or CoordinateMatrix; shape: "gCMatrix".
template <class Matrix>
void put_values(const Matrix& matrix, const std::string& shape, SegmentPtr values, RdsWriter& out) {
  const bool are_truth = is_truth(matrix.value->dtype());
  out.attribute("Dim");
  out.vector(RVector::integer, 2);
  out.integer(static_cast<int32_t>(matrix.rows));
  out.integer(static_cast<int32_t>(matrix.columns));
  out.attribute("Dimnames");
  out.vector(RVector::list, 2);
  put_names(matrix.row_names, matrix.rows, out);
  put_names(matrix.column_names, matrix.columns, out);
  out.attribute("x");
  out.vector(are_truth ? RVector::logical : RVector::real, matrix.value->count());
  out.data(std::move(values));
  out.attribute("factors");
  out.vector(RVector::list, 0);
  out.attribute("class");
  out.texts({(are_truth ? "l" : "d") + shape}, true);
  out.attribute("package");
  out.texts({"Matrix"});
  out.end_attributes();
  out.end_attributes();
}

template <class Matrix>
void check_extents(const Matrix& matrix) {
  check_is_number(matrix.value->dtype());
  check_extent(matrix.value->count(), "entries");
  check_extent(matrix.rows, "rows");
  check_extent(matrix.columns, "columns");
}

ElementForm value_form(const DType& type) {
  return is_truth(type) ? r_logical() : r_double();
}

}  // namespace

ByteLayout sparse_rds(const SparseMatrix& matrix, Context& context) {
  if (matrix.error) throw *matrix.error;
  check_extents(matrix);
  const auto order = std::make_shared<const EntryOrder>(matrix, context);
  RdsWriter out(context);
  out.integer(kS4Object);
  const auto put_indices = [&] {
    out.attribute(matrix.by_row ? "j" : "i");
    out.vector(RVector::integer, order->entries());
    out.data(std::make_shared<IndexSegment>(order));
  };
  const auto put_pointers = [&] {
    out.attribute("p");
    out.vector(RVector::integer, order->major_count() + 1);
    if (order->major_count() == 0)
      out.integer(0);
    else
      out.data(array_segment(matrix.pointer, r_integer(), context));
  };
  if (!matrix.by_row) put_indices();
  put_pointers();
  if (matrix.by_row) put_indices();
  put_values(matrix, matrix.by_row ? "gRMatrix" : "gCMatrix",
             std::make_shared<ValueSegment>(order, value_form(matrix.value->dtype())), out);
  return out.finish();
}

ByteLayout coordinates_rds(const CoordinateMatrix& matrix, Context& context) {
  for (const ArrayPtr& part : {matrix.row, matrix.column, matrix.value}) part->check();
  check_extents(matrix);
  RdsWriter out(context);
  out.integer(kS4Object);
  const auto put_indices = [&](const char* slot, const ArrayPtr& indices, uint64_t extent, const char* what) {
    if (indices->count() != matrix.value->count())
      throw damaged("a sparse matrix has {} values and {} indices", matrix.value->count(), indices->count());
    out.attribute(slot);
    out.vector(RVector::integer, indices->count());
    out.data(array_segment(indices_below(indices, extent, what), r_integer(), context));
  };
  put_indices("i", matrix.row, matrix.rows, "row");
  put_indices("j", matrix.column, matrix.columns, "column");
  put_values(matrix, "gTMatrix", array_segment(matrix.value, value_form(matrix.value->dtype()), context),
             out);
  return out.finish();
}

}  // namespace plainfs
