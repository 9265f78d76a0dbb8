#include "fs/native/column_order.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/array_runs.h"
#include "fs/native/sparse_majors.h"
#include "fs/text/index_run.h"

namespace plainfs {

namespace {

// Entries that one thread reads at a time in a pass, and how much of the cache's budget those of all threads
// may be.
constexpr uint64_t kEntriesAtOnce = 64 * 1024, kFewestAtOnce = 1024;
constexpr uint64_t kAtOncePart = 16;

// Of the cache's budget, what a band takes: the one that is read, the one that is made ahead of the reader,
// and what a pass decodes for it are there together.
constexpr uint64_t kBandPart = 4;
constexpr uint64_t kLeastBand = 4096;  // entries

// Of the budget: a store that is smaller when decoded stays in the cache from one pass to the next; of a
// larger one nothing would be left when the next pass comes to it.
constexpr uint64_t kKeptPart = 2;

// Of the budget, what the places of the columns may take.
constexpr uint64_t kPointersPart = 2;

// A survey of the indices of a matrix, with how many columns it has for a key.
struct EntriesByColumn {
  std::vector<uint64_t> pointer;  // columns + 1, the first 0
};

const DType& pointer_type() {
  static const DType type = number_type(Kind::unsigned_integer, 8);
  return type;
}

const DType& row_type() {
  static const DType type = number_type(Kind::unsigned_integer, 4);
  return type;
}

// What stands in the order of the columns.
enum class Part { rows, values };

class ColumnOrder {
 public:
  ColumnOrder(const SparseMatrix& matrix, Context& context);
  ~ColumnOrder() { context_.cache.drop(cache_owner_, cache_owner_ + 1); }
  ColumnOrder(const ColumnOrder&) = delete;
  ColumnOrder& operator=(const ColumnOrder&) = delete;

  uint64_t entries() const { return majors_.entries(); }
  std::span<const uint64_t> pointer() const { return counted_->pointer; }
  const DType& type_of(Part part) const { return part == Part::rows ? row_type() : matrix_.value->dtype(); }
  uint64_t band_length(Part part) const;

  Elements read(Part part, uint64_t first, uint64_t count) const;
  // Drops the bands that end among these entries.
  void passed(Part part, uint64_t first, uint64_t count) const;

 private:
  // Entries as they are stored.
  struct Run {
    uint64_t first = 0;
    std::unique_ptr<const IndexRun<uint32_t>> columns;
    Elements values{};  // where they are wanted
  };
  // Calls visit(run) for all entries, in the order of the store.
  template <class Visit>
  void pass(bool with_values, Visit&& visit) const;
  EntriesByColumn count_entries() const;

  CacheKey key_of(Part part, uint64_t band) const { return {cache_owner_, 2 * band + (part == Part::rows)}; }
  Elements make_band(Part part, uint64_t begin, uint64_t end) const;

  const SparseMatrix matrix_;
  Context& context_;
  const SparseMajors majors_;
  const uint64_t budget_;  // bytes
  const uint64_t entries_at_once_;
  const bool stays_in_cache_;
  const uint64_t cache_owner_;
  std::shared_ptr<const EntriesByColumn> counted_;
};

// Bytes of one entry, decoded.
uint64_t entry_size(const SparseMatrix& matrix) {
  return decoded_size(matrix.value->dtype()) + decoded_size(matrix.index->dtype());
}

uint64_t stored_size(const SparseMatrix& matrix) {
  uint64_t size = 0;
  return __builtin_mul_overflow(matrix.value->count(), entry_size(matrix), &size) ? UINT64_MAX : size;
}

uint64_t entries_at_once(const SparseMatrix& matrix, const Context& context) {
  const uint64_t room = context.cache.statistics().budget_bytes / kAtOncePart;
  const uint64_t wanted =
      std::clamp(room / (context.workers.threads() + 1) / entry_size(matrix), kFewestAtOnce, kEntriesAtOnce);
  uint64_t most = wanted;
  for (const ArrayPtr& part : {matrix.value, matrix.index})
    most = std::max(most, run_length(wanted, elements_in_band(part->shape(), part->chunk_shape()),
                                     part->dtype(), context));
  return most;
}

ColumnOrder::ColumnOrder(const SparseMatrix& matrix, Context& context)
    : matrix_(matrix),
      context_(context),
      majors_(matrix_),
      budget_(context.cache.statistics().budget_bytes),
      entries_at_once_(entries_at_once(matrix_, context)),
      stays_in_cache_(stored_size(matrix_) <= budget_ / kKeptPart),
      cache_owner_(context.cache.new_owner()) {
  if (matrix_.rows > UINT32_MAX) throw unsupported("a matrix of {} rows by column", matrix_.rows);
  if (matrix_.columns > UINT32_MAX || matrix_.columns >= budget_ / kPointersPart / sizeof(uint64_t))
    throw unsupported("{} columns are too many to sort with a cache of {} bytes", matrix_.columns, budget_);
  counted_ = matrix_.index->survey<EntriesByColumn>(matrix_.columns, [&] { return count_entries(); });
  if (pointer().back() != entries()) throw unreadable("a matrix has changed since its entries were counted");
}

uint64_t ColumnOrder::band_length(Part part) const {
  return std::max(kLeastBand, budget_ / kBandPart / type_of(part).size);
}

template <class Visit>
void ColumnOrder::pass(bool with_values, Visit&& visit) const {
  std::vector<Run> runs(context_.workers.threads() + 1);
  for (uint64_t first = 0; first < entries(); first += runs.size() * entries_at_once_) {
    check_cancelled();
    const uint64_t last = std::min(entries(), first + runs.size() * entries_at_once_);
    const uint64_t count = divide_up(last - first, entries_at_once_);
    context_.workers.parallel_for(count, [&](size_t i) {
      Run& run = runs[i];
      run.first = first + i * entries_at_once_;
      const uint64_t some = std::min(entries_at_once_, last - run.first);
      run.columns = std::make_unique<const IndexRun<uint32_t>>(*matrix_.index, run.first, some,
                                                               matrix_.columns, "column");
      if (with_values) run.values = read_run(*matrix_.value, run.first, some);
    });
    for (uint64_t i = 0; i < count; ++i) visit(std::as_const(runs[i]));
    if (stays_in_cache_) continue;
    passed_run(*matrix_.index, first, last - first);
    if (with_values) passed_run(*matrix_.value, first, last - first);
  }
}

EntriesByColumn ColumnOrder::count_entries() const {
  std::vector<uint64_t> pointer(matrix_.columns + 1);
  pass(false, [&](const Run& run) {
    for (const uint32_t column : run.columns->values()) ++pointer[column + 1];
  });
  std::partial_sum(pointer.begin(), pointer.end(), pointer.begin());
  return {std::move(pointer)};
}

// The entries of a band that a pass has come to.
class BandPlaces {
 public:
  // Of entries [begin, end) in the order of the columns, which begin where pointer says.
  BandPlaces(std::span<const uint64_t> pointer, uint64_t begin, uint64_t end)
      : begin_(begin), size_(end - begin) {
    const auto first = std::upper_bound(pointer.begin(), pointer.end(), begin) - 1;
    const auto last = std::lower_bound(first, pointer.end(), end);
    first_column_ = static_cast<uint32_t>(first - pointer.begin());
    next_.assign(first, last);
    ends_ = std::span(first + 1, last + 1);
  }

  // Where the next entry of a column goes in the band; size() or more where it is none of the band's.
  uint64_t next(uint32_t column) {
    const uint32_t i = column - first_column_;  // of a column before the first more than there are
    return i < next_.size() ? next_[i]++ - begin_ : size_;
  }
  uint64_t size() const { return size_; }
  // Whether as many were asked for as were counted.
  bool are_all_taken() const { return std::equal(next_.begin(), next_.end(), ends_.begin(), ends_.end()); }
  size_t allocated_bytes() const { return next_.capacity() * sizeof(uint64_t); }

 private:
  const uint64_t begin_, size_;
  uint32_t first_column_;
  std::vector<uint64_t> next_;      // of each column, counted from the whole's begin
  std::span<const uint64_t> ends_;  // of each column
};

template <class T>
void place_values(const Elements& values, std::span<const uint32_t> columns, BandPlaces& places,
                  Elements& band) {
  const std::span<const T> from = values.values<T>();
  const std::span<T> to = band.mutable_values<T>();
  for (size_t i = 0; i < columns.size(); ++i) {
    const uint64_t at = places.next(columns[i]);
    if (at >= places.size()) continue;
    to[at] = from[i];
    if (!values.is_missing(i)) continue;
    if (band.missing.empty()) band.missing.resize(band.count);
    band.missing[at] = 1;
  }
}

Elements ColumnOrder::make_band(Part part, uint64_t begin, uint64_t end) const {
  const DType& type = type_of(part);
  BandPlaces places(pointer(), begin, end);
  const ByteCache::Reservation room(context_.cache, (end - begin) * type.size + places.allocated_bytes());
  Elements band = zero_elements(type, end - begin);
  if (part == Part::rows) {
    const std::span<uint32_t> rows = band.mutable_values<uint32_t>();
    pass(false, [&](const Run& run) {
      const std::span<const uint32_t> columns = run.columns->values();
      const uint64_t last = run.first + columns.size();
      majors_.visit(run.first, last, [&](uint64_t row, uint64_t row_begin, uint64_t row_end) {
        for (uint64_t i = std::max(row_begin, run.first); i < std::min(row_end, last); ++i) {
          const uint64_t at = places.next(columns[i - run.first]);
          if (at < places.size()) rows[at] = static_cast<uint32_t>(row);
        }
      });
    });
  } else {
    pass(true, [&](const Run& run) {
      visit_number(type, [&](auto zero) {
        place_values<decltype(zero)>(run.values, run.columns->values(), places, band);
      });
    });
  }
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

void ColumnOrder::passed(Part part, uint64_t first, uint64_t count) const {
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
  void passed(const Box& box) const override { order_->passed(part_, box.origin[0], box.extent[0]); }

 private:
  const std::shared_ptr<const ColumnOrder> order_;
  const Part part_;
};

class OrderedPointers : public Array {
 public:
  explicit OrderedPointers(std::shared_ptr<const ColumnOrder> order)
      : Array(pointer_type(), {order->pointer().size()}), order_(std::move(order)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements elements = zero_elements(dtype(), box.extent[0]);
    const std::span<const uint64_t> wanted = order_->pointer().subspan(box.origin[0], box.extent[0]);
    std::copy(wanted.begin(), wanted.end(), elements.mutable_values<uint64_t>().begin());
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
  turned.on_falling_index = nullptr;
  return turned;
}

}  // namespace plainfs
