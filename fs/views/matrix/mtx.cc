#include "fs/views/matrix/matrix_files.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/index_run.h"
#include "formats/core/sparse/lists.h"
#include "fs/text/field_text.h"
#include "fs/views/matrix/mtx_lines.h"

namespace plainfs {

namespace {

constexpr uint64_t kMajorsAtOnce = 64 * 1024;

// The most rows or columns with pointers. No tool writes more, and pointers that are not stored would cost
// nothing to claim.
constexpr uint64_t kMaxMajors = uint64_t{1} << 32;

class Mtx : public EmittingSource<Mtx> {
 public:
  explicit Mtx(SparseMatrix matrix) : matrix_(std::move(matrix)) {}

  void prepare() override;
  std::string head() const override;
  // Warnings of the measuring pass must appear in the next session too, so it must not be skipped.
  std::string version() const override { return any_fall_.load(std::memory_order_relaxed) ? "" : "mtx 1"; }
  uint64_t block_count() const override { return divide_up(count_, entries_in_block_); }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const;

 private:
  // A survey of the pointers, with the number of entries in a block as its key.
  struct Blocks {
    uint64_t entries;
    std::vector<uint64_t> first_major;  // for each block: the row or column of its first entry
  };
  Blocks find_blocks() const;
  template <class Put>
  void for_each_major(uint64_t block, Put&& put) const;
  template <class Index, class Value, class Sink>
  void put_block(uint64_t block, std::span<const Index> index, std::span<const Value> value,
                 Sink& sink) const;
  template <class Index>
  void find_unsorted(uint64_t block, std::span<const Index> index) const;
  template <class Index, class Sink>
  void put_block_by_entry(uint64_t block, std::span<const Index> index, const Elements& values,
                          Sink& sink) const;
  template <class Index, class Sink>
  void emit_with(uint64_t block, Sink& sink) const;

  SparseMatrix matrix_;  // evaluated by prepare()
  Lists lists_;          // set by prepare()
  uint64_t count_ = 0;
  uint64_t entries_in_block_ = 1;
  mutable std::atomic<bool> any_fall_{false};  // relaxed: read after all blocks are measured
  std::shared_ptr<const Blocks> blocks_;
};

void Mtx::prepare() {
  if (matrix_.error) throw *matrix_.error;
  if (matrix_.evaluate) matrix_ = evaluated(matrix_);
  lists_ = lists_of(matrix_);
  lists_.value->check();
  const DType& type = lists_.value->dtype();
  if (!has_mtx_values(type)) throw unsupported("a sparse matrix of {}", type.name());
  lists_.check();
  if (lists_.majors > kMaxMajors)
    throw unsupported("a sparse matrix with {} pointers is too large to be shown", lists_.pointer->count());
  count_ = lists_.entries();
  const uint64_t line = mtx_line_width(lists_.majors, lists_.minors, type);
  entries_in_block_ = std::max<uint64_t>(128, kBlockText / line / 128 * 128);
  blocks_ = lists_.pointer->survey<Blocks>(entries_in_block_, [&] { return find_blocks(); });
  check_last_pointer(blocks_->entries, count_);
}

// Checks the pointers, but not the last, and finds the beginning of each block.
Mtx::Blocks Mtx::find_blocks() const {
  std::vector<uint64_t> first_major;
  uint64_t next_block_entry = 0;
  const uint64_t last = for_each_pointer(*lists_.pointer, count_, [&](uint64_t number, uint64_t pointer) {
    for (; next_block_entry < pointer; next_block_entry += entries_in_block_)
      first_major.push_back(number - 1);
  });
  return {last, std::move(first_major)};
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
      block + 1 < blocks_->first_major.size() ? blocks_->first_major[block + 1] : lists_.majors - 1;
  uint64_t at = first;
  for (uint64_t major = blocks_->first_major[block]; at < end && major <= last_major;) {
    const uint64_t some = std::min(kMajorsAtOnce, last_major + 1 - major);
    const Pointers pointers(lists_, major, some);
    for (const uint64_t pointer : pointers.values().subspan(1)) {
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

// Logs the first index in the block that is not above the one before it in its row or column.
template <class Index>
void Mtx::find_unsorted(uint64_t block, std::span<const Index> index) const {
  bool falls = false;
  for_each_major(block, [&](uint64_t, uint64_t first, uint64_t last) {
    for (uint64_t i = first + 1; i < last; ++i) falls |= index[i] <= index[i - 1];
  });
  // The row or column at the beginning of the block may have begun earlier.
  const uint64_t first = block * entries_in_block_;
  const Pointers begin(lists_, blocks_->first_major[block], 1);
  if (!falls && begin.values()[0] < first) {
    const IndexRun<Index> before(*matrix_.index, first - 1, 1, lists_.minors, "index");
    falls = index[0] <= before.values()[0];
  }
  if (!falls) return;
  any_fall_.store(true, std::memory_order_relaxed);
  matrix_.on_unsorted_index();
}

// Writes a block in which some values are NA, or all are complex.
template <class Index, class Sink>
void Mtx::put_block_by_entry(uint64_t block, std::span<const Index> index, const Elements& values,
                             Sink& sink) const {
  if (matrix_.missing == MissingEntries::refused && !values.missing.empty())
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
        put_mtx_value(type, values, i, scratch, sink);
      sink.put('\n');
    }
  });
}

template <class Index, class Sink>
void Mtx::emit_with(uint64_t block, Sink& sink) const {
  const uint64_t first = block * entries_in_block_;
  const uint64_t count = std::min(entries_in_block_, count_ - first);
  const IndexRun<Index> index(*matrix_.index, first, count, lists_.minors, lists_.minor_word());
  const Elements values = read_run(*matrix_.value, first, count);
  if constexpr (std::is_same_v<Sink, CountingSink>)
    if (matrix_.on_unsorted_index) find_unsorted(block, index.values());
  if (!values.missing.empty() || matrix_.value->dtype().kind == Kind::complex)
    return put_block_by_entry(block, index.values(), values, sink);
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
  if (lists_.minors < UINT32_MAX)
    emit_with<uint32_t>(block, sink);
  else
    emit_with<uint64_t>(block, sink);
}

}  // namespace

std::unique_ptr<TextSource> mtx(SparseMatrix matrix, Context& context) {
  if (matrix.as_stored) return mtx_coordinates(*matrix.as_stored, context);
  return std::make_unique<Mtx>(std::move(matrix));
}

}  // namespace plainfs
