#include "formats/core/sparse/column_order.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "cache/lazy.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/index_run.h"
#include "formats/core/sparse/entry_runs.h"
#include "formats/core/sparse/line_order.h"
#include "formats/core/sparse/sparse_majors.h"

namespace plainfs {

namespace {

// Entries that one thread counts at a time.
constexpr uint64_t kCountedAtOnce = 64 * 1024;

// The part of the cache's budget for a band (1 / kBandPart). The band that is read, the one prepared ahead of
// the reader, and the decoded data of the pass are in memory together.
constexpr uint64_t kBandPart = 4;
constexpr uint64_t kLeastBand = 4096;  // entries

// The part of the budget (1 / kPointersPart) that the places of the columns may take.
constexpr uint64_t kPointersPart = 2;

struct EntriesByColumn {
  std::vector<uint64_t> pointer;  // columns + 1 numbers, the first is 0
  size_t allocated_bytes() const { return pointer.capacity() * sizeof(uint64_t); }
};
using EntriesByColumnPtr = std::shared_ptr<const EntriesByColumn>;

// A survey of the indices of a matrix: the owner of its counts in the cache, by the number of columns. Files
// of one matrix share them, and many matrices together take no more than the cache. Owners are unique in the
// process and no cache's own, because an array may outlive a cache.
struct CountsOwner {
  uint64_t id;
};

CountsOwner new_counts_owner() {
  static std::atomic<uint64_t> next{uint64_t{1} << 63};
  return {next.fetch_add(1, std::memory_order_relaxed)};
}

const DType& pointer_type() {
  static const DType type = number_type(Kind::unsigned_integer, 8);
  return type;
}

const DType& row_type() {
  static const DType type = number_type(Kind::unsigned_integer, 4);
  return type;
}

// The data to return in the order of the columns.
enum class Part { rows, values };

class ColumnOrder {
 public:
  ColumnOrder(const SparseMatrix& matrix, Context& context);
  ~ColumnOrder() { context_.cache.drop(cache_owner_, cache_owner_ + 1); }
  ColumnOrder(const ColumnOrder&) = delete;
  ColumnOrder& operator=(const ColumnOrder&) = delete;

  uint64_t entries() const { return majors_.entries(); }
  uint64_t columns() const { return matrix_.columns; }
  // Returns the counts. Takes a pass over the indices if the cache has none.
  EntriesByColumnPtr counted() const {
    return context_.cache.get<EntriesByColumn>({counts_owner_, matrix_.columns},
                                               [this] { return count_entries(); });
  }
  const DType& type_of(Part part) const { return part == Part::rows ? row_type() : matrix_.value->dtype(); }
  uint64_t band_length(Part part) const;

  Elements read(Part part, uint64_t first, uint64_t count) const;
  // Drops the bands that end among these entries.
  void release(Part part, uint64_t first, uint64_t count) const;

 private:
  EntriesByColumn count_entries() const;

  CacheKey key_of(Part part, uint64_t band) const { return {cache_owner_, 2 * band + (part == Part::rows)}; }
  Elements make_band(Part part, uint64_t begin, uint64_t end) const;

  const SparseMatrix matrix_;
  Context& context_;
  const SparseMajors majors_;
  const uint64_t budget_;  // bytes
  const bool stays_in_cache_;
  const LineOrder order_;
  const uint64_t cache_owner_;
  const uint64_t counts_owner_;
  const Lazy<EntriesByColumnPtr> used_;  // made by the first band
};

ColumnOrder::ColumnOrder(const SparseMatrix& matrix, Context& context)
    : matrix_(matrix),
      context_(context),
      majors_(matrix_),
      budget_(context.cache.statistics().budget_bytes),
      stays_in_cache_(stay_in_cache(majors_.lists(), context)),
      order_(matrix_, majors_, context),
      cache_owner_(context.cache.new_owner()),
      counts_owner_(matrix_.index->survey<CountsOwner>(0, new_counts_owner)->id) {
  if (matrix_.rows > UINT32_MAX) throw unsupported("a matrix of {} rows by column", matrix_.rows);
  if (matrix_.columns > UINT32_MAX || matrix_.columns >= budget_ / kPointersPart / sizeof(uint64_t))
    throw unsupported("{} columns are too many to sort with a cache of {} bytes", matrix_.columns, budget_);
  if (counted()->pointer.back() != entries())
    throw unreadable("a matrix has changed since its entries were counted");
}

uint64_t ColumnOrder::band_length(Part part) const {
  return std::max(kLeastBand, budget_ / kBandPart / type_of(part).size);
}

EntriesByColumn ColumnOrder::count_entries() const {
  std::vector<uint64_t> pointer(matrix_.columns + 1);
  const std::vector<ArrayPtr> parts{matrix_.index};
  const EntryPass pass{parts, 0, entries(), entries_at_once(kCountedAtOnce, parts, context_),
                       !stays_in_cache_};
  using Columns = std::unique_ptr<const IndexRun<uint32_t>>;
  const auto read = [&](Columns& columns, uint64_t first, uint64_t last) {
    columns = std::make_unique<const IndexRun<uint32_t>>(*matrix_.index, first, last - first, matrix_.columns,
                                                         "column");
  };
  for_entry_runs<Columns>(pass, context_, read, [&](const Columns& columns) {
    for (const uint32_t column : columns->values()) ++pointer[column + 1];
  });
  std::partial_sum(pointer.begin(), pointer.end(), pointer.begin());
  return {std::move(pointer)};
}

// The places of a band's entries while a pass visits them.
class BandPlaces {
 public:
  // For entries [begin, end) in the order of the columns, which begin at the positions in `pointer`.
  BandPlaces(std::span<const uint64_t> pointer, uint64_t begin, uint64_t end)
      : begin_(begin), size_(end - begin) {
    const auto first = std::upper_bound(pointer.begin(), pointer.end(), begin) - 1;
    const auto last = std::lower_bound(first, pointer.end(), end);
    first_column_ = static_cast<uint32_t>(first - pointer.begin());
    next_.assign(first, last);
    ends_ = std::span(first + 1, last + 1);
  }

  WantedLines columns() const { return WantedLines::run(first_column_, next_.size()); }
  // Returns the place of the next entry of one of these columns; size() or more if the entry is not in the
  // band.
  uint64_t next(uint32_t column) { return next_[column]++ - begin_; }
  uint64_t size() const { return size_; }
  // Returns whether as many places were taken as were counted.
  bool are_all_taken() const { return std::equal(next_.begin(), next_.end(), ends_.begin(), ends_.end()); }
  size_t allocated_bytes() const { return next_.capacity() * sizeof(uint64_t); }

 private:
  const uint64_t begin_, size_;
  uint32_t first_column_;
  std::vector<uint64_t> next_;      // of each column, from the beginning of the matrix
  std::span<const uint64_t> ends_;  // of each column
};

template <class T>
void place_values(const FoundEntries& found, BandPlaces& places, Elements& band) {
  const std::span<const T> from = found.values.values<T>();
  const std::span<T> to = band.mutable_values<T>();
  for (size_t i = 0; i < found.lines.size(); ++i) {
    const uint64_t at = places.next(found.lines[i]);
    if (at >= places.size()) continue;
    to[at] = from[i];
    if (!found.values.is_missing(i)) continue;
    if (band.missing.empty()) band.missing.resize(band.count);
    band.missing[at] = 1;
  }
}

void place_rows(const FoundEntries& found, BandPlaces& places, std::span<uint32_t> band) {
  for (size_t i = 0; i < found.lines.size(); ++i) {
    const uint64_t at = places.next(found.lines[i]);
    if (at < places.size()) band[at] = found.majors[i];
  }
}

Elements ColumnOrder::make_band(Part part, uint64_t begin, uint64_t end) const {
  const DType& type = type_of(part);
  // The entries that a band reads pass through the cache, which would drop the counts.
  const EntriesByColumnPtr& counts = used_.get([this] { return counted(); });
  // Another pass over a matrix in the cache is faster than the order of its entries.
  if (!stays_in_cache_) order_.prepare();
  BandPlaces places(counts->pointer, begin, end);
  const ByteCache::Reservation room(context_.cache, (end - begin) * type.size + places.allocated_bytes());
  Elements band = zero_elements(type, end - begin);
  order_.visit(places.columns(), part == Part::values, [&](const FoundEntries& found) {
    if (part == Part::rows) return place_rows(found, places, band.mutable_values<uint32_t>());
    visit_number(type, [&](auto zero) { place_values<decltype(zero)>(found, places, band); });
  });
  if (!places.are_all_taken()) throw unreadable("a matrix has changed since its entries were counted");
  return band;
}

Elements ColumnOrder::read(Part part, uint64_t first, uint64_t count) const {
  const uint64_t length = band_length(part), last = first + count;
  Elements all = zero_elements(type_of(part), 0);
  while (first < last) {
    const uint64_t number = first / length, begin = number * length;
    const uint64_t end = std::min(begin + length, entries());
    const auto band =
        context_.cache.get<Elements>(key_of(part, number), [&] { return make_band(part, begin, end); });
    const uint64_t some = std::min(last, end) - first;
    append(type_of(part), all, *band, first - begin, some);
    first += some;
  }
  return all;
}

void ColumnOrder::release(Part part, uint64_t first, uint64_t count) const {
  const uint64_t length = band_length(part), last = first + count;
  const uint64_t end = last == entries() ? divide_up(last, length) : last / length;
  for (uint64_t band = first / length; band < end; ++band) context_.cache.forget(key_of(part, band));
}

class OrderedPart : public Array {
 public:
  OrderedPart(std::shared_ptr<const ColumnOrder> order, Part part)
      : Array(order->type_of(part), {order->entries()}), order_(std::move(order)), part_(part) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    return order_->read(part_, box.origin[0], box.extent[0]);
  }
  Shape chunk_shape() const override { return {order_->band_length(part_)}; }
  void release(const Box& box) const override { order_->release(part_, box.origin[0], box.extent[0]); }

 private:
  const std::shared_ptr<const ColumnOrder> order_;
  const Part part_;
};

class OrderedPointers : public Array {
 public:
  explicit OrderedPointers(std::shared_ptr<const ColumnOrder> order)
      : Array(pointer_type(), {order->columns() + 1}), order_(std::move(order)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements elements = zero_elements(dtype(), box.extent[0]);
    const EntriesByColumnPtr counts = order_->counted();
    std::copy_n(counts->pointer.begin() + static_cast<ptrdiff_t>(box.origin[0]), box.extent[0],
                elements.mutable_values<uint64_t>().begin());
    return elements;
  }

 private:
  const std::shared_ptr<const ColumnOrder> order_;
};

}  // namespace

SparseMatrix by_column(const SparseMatrix& matrix, Context& context) {
  const auto order = std::make_shared<const ColumnOrder>(matrix, context);
  SparseMatrix turned = matrix;
  turned.by_row = false;
  turned.value = std::make_shared<OrderedPart>(order, Part::values);
  turned.index = std::make_shared<OrderedPart>(order, Part::rows);
  turned.pointer = std::make_shared<OrderedPointers>(order);
  turned.on_unsorted_index = nullptr;
  return turned;
}

}  // namespace plainfs
