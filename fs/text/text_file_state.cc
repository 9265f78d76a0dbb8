#include "fs/text/text_file_state.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "cache/cancellable_lock.h"
#include "cache/request.h"
#include "formats/core/base/checked.h"

namespace plainfs {

namespace {

// Blocks that one thread measures in a row. Neighbours need the same chunks of the store, so threads would
// otherwise wait for each other's chunks.
constexpr uint64_t kMeasuredTogether = 32;

// The part of the cache's budget (1 / kKeptPart) that a measuring pass may fill with text.
constexpr uint64_t kKeptPart = 3;

// How often the kept text is refreshed during the pass: after every 1 / kRefreshPart of the budget in
// measured text.
constexpr uint64_t kRefreshPart = 16;

// The most bytes that a random read may take of a block that is not kept.
constexpr uint64_t kMostInPassing = 16 << 10;

// The most text of a block that is kept.
constexpr uint64_t kMostKeptText = 2 * kBlockText;

// The part of the budget (1 / kPartOfBudget) for the text of a part when several files are measured side by
// side.
constexpr uint64_t kPartOfBudget = 16;

// Memory for blocks is allocated in multiples of this, because thousands of blocks of different lengths come
// and go. The allocator then finds free memory without a search.
constexpr size_t kAllocationStep = 8 << 10;

// Returns a buffer for a block of `size` bytes of text and `margin` bytes behind it.
Bytes text_bytes(size_t size, size_t margin) {
  Bytes bytes;
  bytes.reserve((size + margin + kAllocationStep - 1) / kAllocationStep * kAllocationStep);
  bytes.resize(size + margin);
  return bytes;
}

}  // namespace

void TextFile::State::get_ready() {
  if (ready.load(std::memory_order_acquire)) return;
  const CancellableLock lock(published.preparing, published.waiting);
  if (ready.load(std::memory_order_relaxed)) return;
  prepare();
  if (!offsets) {
    // A measurement of another division gives the file size but not the block offsets.
    const MeasuredPtr& adopted = published.adopted();
    if (adopted && TextOffsets(adopted).division() == source->division())
      offsets.emplace(adopted);
    else
      measure();
    published.publish(offsets->file_size());
  }
  begins = offsets->of();
  const bool is_other_head = !source->head_follows_blocks() && begins.front() != head.size();
  if (begins.size() != source->block_count() + 1 || is_other_head)
    throw Outdated("the text has changed since it was measured");
  ready.store(true, std::memory_order_release);
}

// Gets a head that follows the blocks. An adopted measurement gives only its length; the content is computed
// from all blocks, which are compared with their recorded lengths. Requires: everything else is ready.
void TextFile::State::get_head() {
  if (!source->head_follows_blocks() || has_head.load(std::memory_order_acquire)) return;
  const CancellableLock lock(published.preparing, published.waiting);
  if (has_head.load(std::memory_order_relaxed)) return;
  try {
    measure_blocks(0, source->block_count(), true);
  } catch (const Error&) {
    sizes = {};  // as in measure()
    throw;
  }
  const std::vector<uint64_t> measured = std::exchange(sizes, {});
  for (uint64_t block = 0; block < measured.size(); ++block)
    if (measured[block] != block_size(block)) throw Outdated("the text has changed since it was measured");
  head = source->head();
  if (head.size() != begins.front()) throw Outdated("the text has changed since it was measured");
  has_head.store(true, std::memory_order_release);
}

// Returns bytes [from, to) before anything is measured, so that a few lines do not wait for the whole text.
// Returns nullopt if that is not possible. Errors are left to the measuring pass, which meets them too.
std::optional<Slices> TextFile::State::beginning(size_t from, size_t to) {
  if (published.known()) return std::nullopt;
  if (!published.preparing.try_lock()) return std::nullopt;
  const MutexLock lock(published.preparing, std::adopt_lock);
  if (ready.load(std::memory_order_relaxed)) return std::nullopt;
  prepare();
  if (source->head_follows_blocks()) return std::nullopt;
  Slices slices;
  size_t at = 0;
  const auto add = [&](ByteSpan text, std::shared_ptr<const void> owner) {
    const size_t begin = std::clamp(from, at, at + text.size()), end = std::clamp(to, at, at + text.size());
    slices.add(text.subspan(begin - at, end - begin), std::move(owner));
    at += text.size();
  };
  const auto its_head = std::make_shared<const std::string>(head);
  add(as_byte_span(*its_head), its_head);
  try {
    for (uint64_t i = 0; at < to; ++i) {
      check_cancelled();
      if (i == source->block_count()) return std::nullopt;
      const uint64_t its_size = source->measure(i);
      if (its_size > kMostKeptText) return std::nullopt;
      const auto block = std::make_shared<const TextBlock>(formatted(i, its_size));
      add(block->text(), block);
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  return slices;
}

void TextFile::State::prepare() {
  if (prepared) return;
  source->prepare();
  if (!source->head_follows_blocks()) head = source->head();
  check_block_count(source->block_count());
  prepared = true;
}

uint64_t TextFile::State::parts_to_measure() {
  const CancellableLock lock(published.preparing, published.waiting);
  prepare();
  return std::max<uint64_t>(
      1, source->block_count() * kBlockText / std::max<uint64_t>(1, budget / kPartOfBudget));
}

void TextFile::State::measure_part(uint64_t part, uint64_t parts) {
  const CancellableLock lock(published.preparing, published.waiting);
  if (offsets) return;
  prepare();
  const uint64_t count = source->block_count();
  try {
    measure_blocks(count * part / parts, count * (part + 1) / parts, false);
  } catch (const Error&) {
    forget_measured();
    throw;
  }
}

// Measures the blocks from `begin` to `end` that were not measured yet, into `sizes`.
void TextFile::State::measure_blocks(uint64_t begin, uint64_t end, bool keeps_text) {
  const uint64_t count = source->block_count();
  count_offsets(2 * count);  // sizes, and the offsets computed from them
  sizes.resize(count, kNotMeasured);
  const bool is_patient = Request::current() && Request::current()->is_patient();
  uint64_t* const measured =
      sizes.data();  // each element written by one thread, while this one holds the mutex
  keeps_text = keeps_text && !is_patient;
  context.workers.parallel_for(divide_up(end - begin, kMeasuredTogether), [&](size_t together) {
    const uint64_t first = begin + together * kMeasuredTogether;
    for (uint64_t i = first; i < std::min(end, first + kMeasuredTogether); ++i) {
      if (measured[i] != kNotMeasured) continue;
      check_cancelled();
      if (is_patient && published.waiting.load(std::memory_order_relaxed) > 0) throw Cancelled();
      measured[i] = keeps_text ? measure_block(i) : source->measure(i);
      context.counters.text_blocks_measured.fetch_add(1, std::memory_order_relaxed);
    }
  });
}

void TextFile::State::measure() try {
  const uint64_t count = source->block_count();
  measure_blocks(0, count, true);
  if (source->head_follows_blocks()) {
    head = source->head();
    has_head.store(true, std::memory_order_relaxed);
  }
  Measured measured{source->version(), {}};
  std::vector<uint64_t>& numbers = measured.numbers;
  numbers.reserve(count + 2);
  numbers.push_back(source->division());
  numbers.push_back(head.size());
  for (const uint64_t size : sizes) numbers.push_back(checked_add(numbers.back(), size));
  sizes = {};
  count_offsets(count);
  offsets.emplace(std::make_shared<const Measured>(std::move(measured)));
} catch (const Error&) {
  forget_measured();
  throw;
}

// Forgets all measurements after an error, because the next attempt may fail differently or succeed.
void TextFile::State::forget_measured() {
  sizes = {};
  offsets_room.reset();
  prepared = false;
  forget_all();
  kept_bytes.store(0, std::memory_order_relaxed);
}

uint64_t TextFile::State::measure_block(uint64_t block) {
  std::optional<uint64_t> size;
  if (kept_bytes.load(std::memory_order_relaxed) < budget / kKeptPart && source->should_cache(block))
    size = keep_formatted(block);
  if (!size) size = source->measure(block);
  refresh_kept(*size);
  return *size;
}

// Formats the block into the cache and returns its size; nullopt if it is too large to keep.
std::optional<uint64_t> TextFile::State::keep_formatted(uint64_t block) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(kMostKeptText + ByteSink::kMargin);
  ByteSink sink(buffer.get(), kMostKeptText);
  try {
    source->format(block, sink);
  } catch (const Error&) {
    if (!sink.has_overflowed()) throw;
    kept_bytes.store(UINT64_MAX / 2, std::memory_order_relaxed);  // the next blocks will hardly be smaller
    return std::nullopt;
  }
  TextBlock text;
  text.size = sink.size();
  text.bytes = text_bytes(text.size, 0);
  std::copy_n(reinterpret_cast<const std::byte*>(buffer.get()), text.size, text.bytes.data());
  keep(block, std::move(text));
  count_formatted(sink.size());
  kept_bytes.fetch_add(sink.size(), std::memory_order_relaxed);
  uint64_t end = kept_end.load(std::memory_order_relaxed);
  while (end <= block && !kept_end.compare_exchange_weak(end, block + 1, std::memory_order_relaxed)) {
  }
  return sink.size();
}

// Marks the kept text as recently used, so that chunks that the rest of the pass uses once leave the cache
// first.
void TextFile::State::refresh_kept(uint64_t measured_bytes) {
  const uint64_t end = kept_end.load(std::memory_order_relaxed);
  const uint64_t since = since_refresh.fetch_add(measured_bytes, std::memory_order_relaxed) + measured_bytes;
  if (end == 0 || since < budget / kRefreshPart) return;
  since_refresh.store(0, std::memory_order_relaxed);
  for (uint64_t block = end; block-- > 0;) held(block);
}

TextBlock TextFile::State::make(uint64_t block) const {
  return formatted(block, block_size(block));
}

TextBlock TextFile::State::formatted(uint64_t block, uint64_t size) const {
  TextBlock text{text_bytes(size, ByteSink::kMargin), size};
  format(block, size, text.bytes);
  return text;
}

// Requires: `bytes` has room for the block's `size` and the margin.
void TextFile::State::format(uint64_t block, uint64_t size, Bytes& bytes) const {
  ByteSink sink(reinterpret_cast<char*>(bytes.data()), size);
  try {
    source->format(block, sink);
  } catch (const Error& error) {
    if (sink.has_overflowed()) throw Outdated(error.what());
    throw;
  }
  if (sink.size() != size) throw Outdated("a block of text has changed since it was measured");
  count_formatted(size);
}

// Returns bytes [from, to) of a block that a reader jumped to, formatted in temporary memory. Returns null if
// the block should be kept: it is held already, is costly, or was read before.
std::shared_ptr<const TextBlock> TextFile::State::part_in_passing(uint64_t block, uint64_t from,
                                                                  uint64_t to) {
  const uint64_t size = block_size(block);
  if (to - from > kMostInPassing || size > kMostKeptText || source->should_cache(block) || held(block))
    return nullptr;
  if (touched[block % touched.size()].exchange(block + 1, std::memory_order_relaxed) == block + 1)
    return nullptr;
  Bytes buffer(size + ByteSink::kMargin);
  format(block, size, buffer);
  return std::make_shared<const TextBlock>(
      TextBlock{Bytes(buffer.data() + from, buffer.data() + to), to - from});
}

void TextFile::State::count_formatted(uint64_t bytes) const {
  context.counters.text_blocks_formatted.fetch_add(1, std::memory_order_relaxed);
  context.counters.bytes_formatted.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace plainfs
