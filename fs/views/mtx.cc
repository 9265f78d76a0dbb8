#include "fs/views/texts.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "formats/core/base/checked.h"
#include "formats/core/model/array_runs.h"
#include "fs/text/field_text.h"
#include "fs/text/index_run.h"
#include "fs/views/mtx_lines.h"

namespace plainfs {

namespace {

constexpr uint64_t kPointersAtOnce = 64 * 1024;

// Rows or columns that the pointers run over. No tool makes more, and pointers that are nowhere stored cost
// nothing to claim.
constexpr uint64_t kMostMajors = uint64_t{1} << 32;

class Mtx : public EmittingSource<Mtx> {
 public:
  explicit Mtx(SparseMatrix matrix)
      : matrix_(std::move(matrix)),
        majors_(matrix_.by_row ? matrix_.rows : matrix_.columns),
        minors_(matrix_.by_row ? matrix_.columns : matrix_.rows) {}

  void prepare() override;
  std::string head() const override;
  // What is warned of in the pass is to be warned of in the next session too.
  std::string version() const override { return any_fall_.load(std::memory_order_relaxed) ? "" : "mtx 1"; }
  uint64_t block_count() const override { return divide_up(count_, entries_in_block_); }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const;

 private:
  // A survey of the pointers, with how many entries a block has for a key.
  struct Blocks {
    uint64_t entries;
    std::vector<uint64_t> first_major;  // of each: the row or column that its first entry is in
  };
  void check_pointer_count() const;
  Blocks find_blocks() const;
  template <class Put>
  void for_each_major(uint64_t block, Put&& put) const;
  template <class Index, class Value, class Sink>
  void put_block(uint64_t block, std::span<const Index> index, std::span<const Value> value,
                 Sink& sink) const;
  template <class Index>
  void look_for_falls(uint64_t block, std::span<const Index> index) const;
  template <class Index, class Sink>
  void put_block_with_missing(uint64_t block, std::span<const Index> index, const Elements& values,
                              Sink& sink) const;
  template <class Index, class Sink>
  void emit_with(uint64_t block, Sink& sink) const;

  SparseMatrix matrix_;  // prepare() evaluates it
  const uint64_t majors_;
  const uint64_t minors_;
  uint64_t count_ = 0;
  uint64_t entries_in_block_ = 1;
  mutable std::atomic<bool> any_fall_{false};  // relaxed: asked for when all blocks are measured
  std::shared_ptr<const Blocks> blocks_;
};

void Mtx::prepare() {
  if (matrix_.error) throw *matrix_.error;
  if (matrix_.evaluate) matrix_ = evaluated(matrix_);
  for (const ArrayPtr& part : {matrix_.value, matrix_.index, matrix_.pointer}) part->check();
  const DType& type = matrix_.value->dtype();
  if (!has_mtx_values(type)) throw unsupported("a sparse matrix of {}", type.name());
  count_ = matrix_.value->count();
  if (matrix_.index->count() != count_)
    throw damaged("a sparse matrix has {} values and {} indices", count_, matrix_.index->count());
  const uint64_t line = mtx_line_width(majors_, minors_, type);
  entries_in_block_ = std::max<uint64_t>(128, kBlockText / line / 128 * 128);
  check_pointer_count();
  blocks_ = matrix_.pointer->survey<Blocks>(entries_in_block_, [&] { return find_blocks(); });
  if (blocks_->entries != count_)
    throw damaged("the pointers end at {}, expected {}, the number of entries", blocks_->entries, count_);
}

void Mtx::check_pointer_count() const {
  const uint64_t stored = matrix_.pointer->count();
  // BPCells writes a matrix without columns with two pointers.
  const bool surplus = majors_ == 0 && stored == 2;
  if (stored != checked_add(majors_, 1) && !surplus)
    throw damaged("a sparse matrix has {} pointers for {} {}", stored, majors_,
                  matrix_.by_row ? "rows" : "columns");
  if (majors_ > kMostMajors) throw unsupported("a sparse matrix with {} pointers is too large", stored);
}

// Checks that the pointers rise from 0 to no more than the number of entries, and finds where each block
// begins.
Mtx::Blocks Mtx::find_blocks() const {
  const uint64_t stored = matrix_.pointer->count();
  std::vector<uint64_t> first_major;
  uint64_t before = 0, next_block_entry = 0;
  for (uint64_t first = 0; first < stored; first += kPointersAtOnce) {
    const uint64_t some = std::min(kPointersAtOnce, stored - first);
    const IndexRun<uint64_t> pointers(*matrix_.pointer, first, some, UINT64_MAX, "pointer");
    for (uint64_t i = 0; i < some; ++i) {
      const uint64_t pointer = pointers.values()[i];
      if (pointer < before || pointer > count_ || (first + i == 0 && pointer != 0))
        throw damaged("pointer {} is {} after {}, but there are {} entries", first + i, pointer, before,
                      count_);
      for (; next_block_entry < pointer; next_block_entry += entries_in_block_)
        first_major.push_back(first + i - 1);
      before = pointer;
    }
  }
  return {before, std::move(first_major)};
}

std::string Mtx::head() const {
  const DType real = number_type(Kind::real, 8);
  return mtx_head(matrix_.is_real ? real : matrix_.value->dtype(), matrix_.rows, matrix_.columns, count_);
}

// Calls put(major, first, last) for the entries of each row or column in the block, numbered within the
// block.
template <class Put>
void Mtx::for_each_major(uint64_t block, Put&& put) const {
  const uint64_t first = block * entries_in_block_;
  const uint64_t end = std::min(count_, first + entries_in_block_);
  const uint64_t last_major =
      block + 1 < blocks_->first_major.size() ? blocks_->first_major[block + 1] : majors_ - 1;
  uint64_t at = first;
  for (uint64_t major = blocks_->first_major[block]; at < end && major <= last_major;) {
    const uint64_t some = std::min(kPointersAtOnce, last_major + 1 - major);
    const IndexRun<uint64_t> ends(*matrix_.pointer, major + 1, some, UINT64_MAX, "pointer");
    for (const uint64_t pointer : ends.values()) {
      const uint64_t to = std::min(pointer, end);
      if (to > at) {
        put(major, at - first, to - first);
        at = to;
      }
      ++major;
    }
  }
}

template <class Index, class Value, class Sink>
void Mtx::put_block(uint64_t block, std::span<const Index> index, std::span<const Value> value,
                    Sink& sink) const {
  for_each_major(block, [&](uint64_t major, uint64_t first, uint64_t last) {
    put_entries(MtxRun<Index, Value>{index.subspan(first, last - first), value.subspan(first, last - first),
                                     major + 1, matrix_.by_row},
                sink);
  });
}

// Tells of the first index in the block that is not above the one before it in its row or column.
template <class Index>
void Mtx::look_for_falls(uint64_t block, std::span<const Index> index) const {
  bool falls = false;
  for_each_major(block, [&](uint64_t, uint64_t first, uint64_t last) {
    for (uint64_t i = first + 1; i < last; ++i) falls |= index[i] <= index[i - 1];
  });
  // The row or column in which the block begins may have begun before it.
  const uint64_t first = block * entries_in_block_;
  const IndexRun<uint64_t> begin(*matrix_.pointer, blocks_->first_major[block], 1, UINT64_MAX, "pointer");
  if (!falls && begin.values()[0] < first) {
    const IndexRun<Index> before(*matrix_.index, first - 1, 1, minors_, "index");
    falls = index[0] <= before.values()[0];
  }
  if (!falls) return;
  any_fall_.store(true, std::memory_order_relaxed);
  matrix_.on_falling_index();
}

// A block in which some values are NA.
template <class Index, class Sink>
void Mtx::put_block_with_missing(uint64_t block, std::span<const Index> index, const Elements& values,
                                 Sink& sink) const {
  if (matrix_.missing == MissingEntries::refused)
    throw unsupported("MatrixMarket has no missing values for integers and truth values");
  const bool as_nan = matrix_.missing == MissingEntries::shown_as_nan;
  std::string scratch;
  const DType type = mtx_number_type(matrix_.value->dtype());
  for_each_major(block, [&](uint64_t major, uint64_t first, uint64_t last) {
    for (uint64_t i = first; i < last; ++i) {
      const uint64_t minor = uint64_t{index[i]} + 1;
      sink.put_number(matrix_.by_row ? major + 1 : minor);
      sink.put(' ');
      sink.put_number(matrix_.by_row ? minor : major + 1);
      sink.put(' ');
      if (as_nan && values.is_missing(i))
        sink.put(std::string_view("NaN"));
      else
        put_csv_field(type, values, i, scratch, sink);
      sink.put('\n');
    }
  });
}

template <class Index, class Sink>
void Mtx::emit_with(uint64_t block, Sink& sink) const {
  const uint64_t first = block * entries_in_block_;
  const uint64_t count = std::min(entries_in_block_, count_ - first);
  const IndexRun<Index> index(*matrix_.index, first, count, minors_, matrix_.by_row ? "column" : "row");
  const Elements values = read_run(*matrix_.value, first, count);
  if constexpr (std::is_same_v<Sink, CountingSink>)
    if (matrix_.on_falling_index) look_for_falls(block, index.values());
  if (!values.missing.empty()) return put_block_with_missing(block, index.values(), values, sink);
  visit_number(matrix_.value->dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) >= 4 || std::is_same_v<T, Half>) {
      put_block(block, index.values(), values.values<T>(), sink);
    } else {
      using Wider = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;
      const std::vector<Wider> wider(values.values<T>().begin(), values.values<T>().end());
      put_block(block, index.values(), std::span<const Wider>(wider), sink);
    }
  });
}

template <class Sink>
void Mtx::emit(uint64_t block, Sink& sink) const {
  if (minors_ < UINT32_MAX)
    emit_with<uint32_t>(block, sink);
  else
    emit_with<uint64_t>(block, sink);
}

}  // namespace

std::unique_ptr<TextSource> mtx(SparseMatrix matrix, Context&) {
  return std::make_unique<Mtx>(std::move(matrix));
}

}  // namespace plainfs
