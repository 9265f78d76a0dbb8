#include "fs/views/dense_mtx.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <vector>

#include "formats/base/checked.h"
#include "fs/native/dense_entries.h"
#include "fs/text/field_text.h"
#include "fs/text/findings.h"
#include "fs/views/grid_units.h"
#include "fs/views/mtx_lines.h"
#include "fs/views/mtx_values.h"

namespace plainfs {

namespace {

constexpr uint64_t kNotCounted = UINT64_MAX;

// What is kept of each line takes memory; of more lines, those who want it count for themselves.
constexpr uint64_t kMostLinesNoted = uint64_t{1} << 22;

bool is_zero(Half value) {
  return to_float(value) == 0;
}
template <class T>
bool is_zero(T value) {
  return value == 0;
}

// How many entries each line has. Blocks are counted in any order, by many threads, and again when they are
// made anew; so each writes in places of its own: lines that it has to itself, and the parts of lines at its
// ends.
class LineCounts {
 public:
  LineCounts(uint64_t lines, uint64_t blocks) : lines_(lines), heads_(blocks), tails_(blocks) {}

  // Of what the block has of a line, from that column on.
  void set(uint64_t block, uint64_t line, uint64_t column, bool is_whole, uint64_t entries) {
    std::atomic<uint64_t>& place = is_whole ? lines_[line] : column > 0 ? heads_[block] : tails_[block];
    place.store(entries, std::memory_order_relaxed);
  }
  // Where the entries of each line begin, and how many there are. Requires: every block is counted.
  std::vector<uint64_t> pointer(const LineGrid& grid) const;

 private:
  std::vector<std::atomic<uint64_t>> lines_;
  std::vector<std::atomic<uint64_t>> heads_;  // of a block's first line, where it begins within
  std::vector<std::atomic<uint64_t>> tails_;  // of its last line, where it ends within
};

std::vector<uint64_t> LineCounts::pointer(const LineGrid& grid) const {
  std::vector<uint64_t> pointer(lines_.size() + 1);
  for (uint64_t line = 0; line < lines_.size(); ++line)
    pointer[line + 1] = lines_[line].load(std::memory_order_relaxed);
  for (uint64_t number = 0; number < heads_.size() && grid.width() > 0; ++number) {
    const LineGrid::Block block = grid.block(number);
    if (block.count == 0) continue;
    const uint64_t last = block.line + (block.column + block.count - 1) / grid.width();
    pointer[block.line + 1] += heads_[number].load(std::memory_order_relaxed);
    pointer[last + 1] += tails_[number].load(std::memory_order_relaxed);
  }
  std::partial_sum(pointer.begin(), pointer.end(), pointer.begin());
  return pointer;
}

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
  bool is_worth_keeping(uint64_t block) const override {
    return grid().width() > 0 && units_->is_worth_keeping(grid().block(block).unit);
  }

  template <class Sink>
  void emit(uint64_t number, Sink& sink) const;

 private:
  const LineGrid& grid() const { return units_->grid(); }
  uint64_t rows() const { return transposed_ ? grid().width() : grid().lines(); }
  uint64_t columns() const { return transposed_ ? grid().lines() : grid().width(); }
  template <class Index, class Sink>
  uint64_t put_block(uint64_t number, const LineGrid::Block& block, const Elements& unit, Sink& sink) const;
  template <class Index, class Value, class Stored, class Sink>
  uint64_t put_values(uint64_t number, const LineGrid::Block& block, std::span<const Stored> unit,
                      Sink& sink) const;
  template <class Sink>
  uint64_t put_with_missing(uint64_t number, const LineGrid::Block& block, const Elements& unit,
                            Sink& sink) const;
  bool is_all_zero(uint64_t unit) const;
  void count_line(uint64_t block, uint64_t line, uint64_t column, uint64_t elements, uint64_t entries) const {
    if (line_counts_) line_counts_->set(block, line, column, elements == grid().width(), entries);
  }

  const ArrayPtr values_;
  const bool transposed_;
  Context& context_;
  std::optional<GridUnits> units_;
  // Lines of each block, kNotCounted until it is measured; whoever measures it again finds the same number.
  mutable std::vector<std::atomic<uint64_t>> counts_;
  std::unique_ptr<LineCounts> line_counts_;  // where lines are cells, and not too many
};

void DenseMtx::prepare() {
  values_->check();
  const DType& type = values_->dtype();
  if (values_->is_null() || values_->shape().size() != 2)
    throw damaged("a matrix of rank {}", values_->shape().size());
  if (!has_mtx_values(type)) throw unsupported("a matrix of {}", type.name());
  const Shape& shape = values_->shape();
  units_.emplace(values_, mtx_line_width(shape[0], shape[1], type), context_);
  check_block_count(block_count());
  std::vector<std::atomic<uint64_t>> counts(block_count());
  for (auto& count : counts) count.store(kNotCounted, std::memory_order_relaxed);
  counts_ = std::move(counts);
  if (transposed_ && grid().lines() <= kMostLinesNoted)
    line_counts_ = std::make_unique<LineCounts>(grid().lines(), block_count());
}

std::string DenseMtx::head() const {
  uint64_t entries = 0;
  for (uint64_t block = 0; block < counts_.size(); ++block) {
    if (counts_[block].load(std::memory_order_relaxed) == kNotCounted) measure(block);
    entries += counts_[block].load(std::memory_order_relaxed);
  }
  if (line_counts_)
    noted(kEntriesOfRows, *values_, [&] { return Finding{{}, {}, line_counts_->pointer(grid())}; });
  return mtx_head(values_->dtype(), rows(), columns(), entries);
}

// Calls put(line, column, first, end) for what each line has in the block; elements are numbered in the unit.
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
uint64_t DenseMtx::put_values(uint64_t number, const LineGrid::Block& block, std::span<const Stored> unit,
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
    count_line(number, line, column, end - first, kept);
    if (kept == 0) return;
    put_entries(EntryRun<Index, Value>{std::span(index).first(kept), std::span(value).first(kept), line + 1,
                                       !transposed_},
                sink);
    entries += kept;
  });
  return entries;
}

// A unit in which some values are NA.
template <class Sink>
uint64_t DenseMtx::put_with_missing(uint64_t number, const LineGrid::Block& block, const Elements& unit,
                                    Sink& sink) const {
  const DType type = mtx_number_type(values_->dtype());
  std::string scratch;
  uint64_t entries = 0;
  for_each_line(block, grid().width(), [&](uint64_t line, uint64_t begin, uint64_t first, uint64_t end) {
    const uint64_t before = entries;
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
      ++entries;
    }
    count_line(number, line, begin, end - first, entries - before);
  });
  return entries;
}

template <class Index, class Sink>
uint64_t DenseMtx::put_block(uint64_t number, const LineGrid::Block& block, const Elements& unit,
                             Sink& sink) const {
  return visit_number(values_->dtype(), [&](auto value) {
    using T = decltype(value);
    const std::span<const T> stored = unit.values<T>();
    if constexpr (sizeof(T) >= 4 || std::is_same_v<T, Half>) {
      return put_values<Index, T>(number, block, stored, sink);
    } else {
      using Wider = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;
      return put_values<Index, Wider>(number, block, stored, sink);
    }
  });
}

// Where the unit's chunks are absent, so that vast empty arrays have a size in no time.
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
  if (grid().width() > 0 && !is_all_zero(block.unit)) {
    const std::shared_ptr<const Elements> unit = units_->read(block.unit);
    entries = !unit->missing.empty()        ? put_with_missing(number, block, *unit, sink)
              : grid().width() < UINT32_MAX ? put_block<uint32_t>(number, block, *unit, sink)
                                            : put_block<uint64_t>(number, block, *unit, sink);
  }
  counts_[number].store(entries, std::memory_order_relaxed);
}

}  // namespace

std::unique_ptr<TextSource> dense_mtx(ArrayPtr values, bool transposed, Context& context) {
  return std::make_unique<DenseMtx>(std::move(values), transposed, context);
}

}  // namespace plainfs
