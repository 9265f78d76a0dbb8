// Matrix's sparse classes.
#include <algorithm>

#include "formats/base/checked.h"
#include "fs/native/array_segment.h"
#include "fs/native/entry_order.h"
#include "fs/native/rds.h"
#include "fs/native/rds_writer.h"
#include "fs/text/array_runs.h"

namespace plainfs {

namespace {

constexpr uint32_t kS4Object = 0x00010319;  // an object with attributes, and R's mark of S4

// The index or the value of each entry, in R's order.
class EntrySegment : public Segment {
 public:
  EntrySegment(std::shared_ptr<const EntryOrder> order, ArrayPtr part, ElementForm form)
      : order_(std::move(order)),
        part_(std::move(part)),
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

}  // namespace

ByteLayout sparse_rds(const SparseMatrix& matrix, Context& context) {
  if (matrix.error) throw *matrix.error;
  const DType& type = matrix.value->dtype();
  check_is_number(type);
  check_extent(matrix.value->count(), "entries");
  check_extent(matrix.rows, "rows");
  check_extent(matrix.columns, "columns");
  const auto order = std::make_shared<const EntryOrder>(matrix, context);
  RdsWriter out(context);
  out.integer(kS4Object);
  const auto put_indices = [&] {
    out.attribute(matrix.by_row ? "j" : "i");
    out.vector(RVector::integer, order->entries());
    out.data(std::make_shared<EntrySegment>(order, matrix.index, r_integer()));
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
  out.attribute("Dim");
  out.vector(RVector::integer, 2);
  out.integer(static_cast<int32_t>(matrix.rows));
  out.integer(static_cast<int32_t>(matrix.columns));
  out.attribute("Dimnames");
  out.vector(RVector::list, 2);
  put_names(matrix.row_names, matrix.rows, out);
  put_names(matrix.column_names, matrix.columns, out);
  out.attribute("x");
  out.vector(is_truth(type) ? RVector::logical : RVector::real, order->entries());
  out.data(std::make_shared<EntrySegment>(order, matrix.value, is_truth(type) ? r_logical() : r_double()));
  out.attribute("factors");
  out.vector(RVector::list, 0);
  out.attribute("class");
  out.texts({std::string(is_truth(type) ? "l" : "d") + (matrix.by_row ? "gRMatrix" : "gCMatrix")}, true);
  out.attribute("package");
  out.texts({"Matrix"});
  out.end_attributes();
  out.end_attributes();
  return out.finish();
}

}  // namespace plainfs
