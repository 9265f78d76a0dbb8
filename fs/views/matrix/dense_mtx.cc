#include "fs/views/matrix/matrix_files.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/checked.h"
#include "formats/core/sparse/dense_entries.h"
#include "fs/text/field_text.h"
#include "fs/views/array/line_grid.h"
#include "fs/views/matrix/mtx_lines.h"

namespace plainfs {

namespace {

constexpr uint64_t kNotCounted = UINT64_MAX;

// The most cells for which the numbers of entries are kept, because of the memory. With more cells, users of
// the numbers count for themselves.
constexpr uint64_t kMaxCellsNoted = uint64_t{1} << 22;

// The entries that a block has of each cell in it. Empty: not needed.
struct CellTally {
  uint64_t first = 0;
  std::vector<uint32_t> entries;
};

class DenseMtx : public EmittingSource<DenseMtx> {
 public:
  DenseMtx(ArrayPtr values, bool transposed, Context& context)
      : values_(std::move(values)), transposed_(transposed), context_(context) {}

  void prepare() override;
  bool head_follows_blocks() const override { return true; }
  std::string head() const override;
  std::string version() const override { return "dense mtx 1"; }
  uint64_t division() const override { return units_ ? grid().number() : 0; }
  uint64_t block_count() const override { return units_ ? units_->grid().block_count() : 0; }
  bool should_cache(uint64_t block) const override {
    return grid().width() > 0 && units_->should_cache(grid().block(block).unit);
  }

  template <class Sink>
  void emit(uint64_t number, Sink& sink) const;

 private:
  const LineGrid& grid() const { return units_->grid(); }
  uint64_t rows() const { return transposed_ ? grid().width() : grid().lines(); }
  uint64_t columns() const { return transposed_ ? grid().lines() : grid().width(); }
  uint64_t cells() const { return transposed_ ? grid().lines() : grid().width(); }
  template <class Index, class Sink>
  uint64_t put_block(const LineGrid::Block& block, const Elements& unit, CellTally& tally, Sink& sink) const;
  template <class Index, class Value, class Stored, class Sink>
  uint64_t put_values(const LineGrid::Block& block, std::span<const Stored> unit, CellTally& tally,
                      Sink& sink) const;
  template <class Sink>
  uint64_t put_with_missing(const LineGrid::Block& block, const Elements& unit, CellTally& tally,
                            Sink& sink) const;
  bool is_all_zero(uint64_t unit) const;
  CellTally tally_of(uint64_t number, const LineGrid::Block& block) const;
  void count(uint64_t number, uint64_t entries, const CellTally& tally) const;
  uint64_t count_all() const;

  const ArrayPtr values_;
  const bool transposed_;
  Context& context_;
  std::optional<GridUnits> units_;
  // The lines of each block; kNotCounted until it is measured. Measuring it again gives the same number.
  mutable std::vector<std::atomic<uint64_t>> counts_;
  mutable Mutex mutex_;
  // For the counted blocks; empty if there are too many cells.
  mutable std::vector<uint64_t> entries_of_cells_ GUARDED_BY(mutex_);
};

void DenseMtx::prepare() {
  values_->check();
  const DType& type = values_->dtype();
  if (values_->is_null() || values_->shape().size() != 2)
    throw damaged("a matrix of rank {}", values_->shape().size());
  if (!has_mtx_values(type) || type.kind == Kind::complex) throw unsupported("a matrix of {}", type.name());
  const Shape& shape = values_->shape();
  units_.emplace(values_, mtx_line_width(shape[0], shape[1], type), context_);
  check_kept_blocks(block_count());
  std::vector<std::atomic<uint64_t>> counts(block_count());
  for (auto& count : counts) count.store(kNotCounted, std::memory_order_relaxed);
  counts_ = std::move(counts);
  const MutexLock lock(mutex_);
  entries_of_cells_.assign(cells() <= kMaxCellsNoted ? cells() : 0, 0);
}

std::string DenseMtx::head() const {
  if (cells() > kMaxCellsNoted) return mtx_head(values_->dtype(), rows(), columns(), count_all());
  const auto by_cell = values_->survey<EntriesByCell>(entries_key(transposed_), [&] {
    count_all();
    std::vector<uint64_t> starts(cells() + 1);
    const MutexLock lock(mutex_);
    std::partial_sum(entries_of_cells_.begin(), entries_of_cells_.end(), starts.begin() + 1);
    return EntriesByCell{std::move(starts)};
  });
  return mtx_head(values_->dtype(), rows(), columns(), by_cell->pointer.back());
}

uint64_t DenseMtx::count_all() const {
  uint64_t entries = 0;
  for (uint64_t block = 0; block < counts_.size(); ++block) {
    if (counts_[block].load(std::memory_order_acquire) == kNotCounted) measure(block);
    entries += counts_[block].load(std::memory_order_acquire);
  }
  return entries;
}

// Returns a tally of zeros if the block is still to be counted and cells are counted.
CellTally DenseMtx::tally_of(uint64_t number, const LineGrid::Block& block) const {
  if (block.count == 0 || cells() > kMaxCellsNoted ||
      counts_[number].load(std::memory_order_relaxed) != kNotCounted)
    return {};
  const uint64_t end = block.column + block.count, width = grid().width();
  if (transposed_) return {block.line, std::vector<uint32_t>(divide_up(end, width))};
  if (end <= width) return {block.column, std::vector<uint32_t>(block.count)};
  return {0, std::vector<uint32_t>(width)};
}

// Counts a block once, however often it is generated.
void DenseMtx::count(uint64_t number, uint64_t entries, const CellTally& tally) const {
  if (counts_[number].load(std::memory_order_relaxed) != kNotCounted) return;
  const MutexLock lock(mutex_);
  if (counts_[number].load(std::memory_order_relaxed) != kNotCounted) return;
  for (size_t i = 0; i < tally.entries.size(); ++i) entries_of_cells_[tally.first + i] += tally.entries[i];
  counts_[number].store(entries, std::memory_order_release);
}

// Calls put(line, column, first, end) for the part of each line in the block, with elements numbered within
// the unit.
template <class Put>
void for_each_line(const LineGrid::Block& block, uint64_t width, Put&& put) {
  uint64_t line = block.line, column = block.column;
  const uint64_t end = block.first_in_unit + block.count;
  for (uint64_t i = block.first_in_unit; i < end; ++line, column = 0) {
    const uint64_t line_end = std::min(end, i + (width - column));
    put(line, column, i, line_end);
    i = line_end;
  }
}

template <class Index, class Value, class Stored, class Sink>
uint64_t DenseMtx::put_values(const LineGrid::Block& block, std::span<const Stored> unit, CellTally& tally,
                              Sink& sink) const {
  const uint64_t most = std::min(block.count, grid().width());
  std::vector<Index> index(most);
  std::vector<Value> value(most);
  uint64_t entries = 0;
  for_each_line(block, grid().width(), [&](uint64_t line, uint64_t column, uint64_t first, uint64_t end) {
    size_t kept = 0;
    for (uint64_t i = first; i < end; ++i) {
      index[kept] = static_cast<Index>(column + (i - first));
      value[kept] = static_cast<Value>(unit[i]);
      kept += !is_zero(unit[i]);
    }
    if (kept == 0) return;
    if (!tally.entries.empty() && transposed_)
      tally.entries[line - tally.first] += static_cast<uint32_t>(kept);
    if (!tally.entries.empty() && !transposed_) {
      uint32_t* const of = &tally.entries[column - tally.first];
      for (uint64_t i = first; i < end; ++i) of[i - first] += !is_zero(unit[i]);
    }
    put_entries(MtxRun<Index, Value>{std::span(index).first(kept), std::span(value).first(kept), line + 1,
                                     !transposed_},
                sink);
    entries += kept;
  });
  return entries;
}

// Writes a block of a unit in which some values are NA.
template <class Sink>
uint64_t DenseMtx::put_with_missing(const LineGrid::Block& block, const Elements& unit, CellTally& tally,
                                    Sink& sink) const {
  const DType type = mtx_number_type(values_->dtype());
  std::string scratch;
  uint64_t entries = 0;
  for_each_line(block, grid().width(), [&](uint64_t line, uint64_t begin, uint64_t first, uint64_t end) {
    for (uint64_t i = first, column = begin; i < end; ++i, ++column) {
      const bool zero =
          visit_number(type, [&](auto value) { return is_zero(unit.values<decltype(value)>()[i]); });
      if (zero && !unit.is_missing(i)) continue;
      sink.put_number((transposed_ ? column : line) + 1);
      sink.put(' ');
      sink.put_number((transposed_ ? line : column) + 1);
      sink.put(' ');
      put_csv_field(type, unit, i, scratch, sink);
      sink.put('\n');
      if (!tally.entries.empty()) ++tally.entries[(transposed_ ? line : column) - tally.first];
      ++entries;
    }
  });
  return entries;
}

template <class Index, class Sink>
uint64_t DenseMtx::put_block(const LineGrid::Block& block, const Elements& unit, CellTally& tally,
                             Sink& sink) const {
  return visit_number(values_->dtype(), [&](auto value) {
    using T = decltype(value);
    const std::span<const T> stored = unit.values<T>();
    if constexpr (sizeof(T) >= 4 || std::is_same_v<T, Half>) {
      return put_values<Index, T>(block, stored, tally, sink);
    } else {
      using Wider = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;
      return put_values<Index, Wider>(block, stored, tally, sink);
    }
  });
}

// Returns true if the unit's chunks are absent and zero, so that the size of huge empty arrays is quick to
// find.
bool DenseMtx::is_all_zero(uint64_t unit) const {
  const std::optional<Elements> one = units_->repeated(unit);
  return one && !one->is_missing(0) && visit_number(values_->dtype(), [&](auto number) {
           return is_zero(one->values<decltype(number)>()[0]);
         });
}

template <class Sink>
void DenseMtx::emit(uint64_t number, Sink& sink) const {
  const LineGrid::Block block = grid().block(number);
  uint64_t entries = 0;
  CellTally tally;
  if (grid().width() > 0 && !is_all_zero(block.unit)) {
    tally = tally_of(number, block);
    const std::shared_ptr<const Elements> unit = units_->read(block.unit);
    entries = !unit->missing.empty()        ? put_with_missing(block, *unit, tally, sink)
              : grid().width() < UINT32_MAX ? put_block<uint32_t>(block, *unit, tally, sink)
                                            : put_block<uint64_t>(block, *unit, tally, sink);
  }
  count(number, entries, tally);
}

}  // namespace

std::unique_ptr<TextSource> dense_mtx(ArrayPtr values, bool transposed, Context& context) {
  return std::make_unique<DenseMtx>(std::move(values), transposed, context);
}

}  // namespace plainfs
