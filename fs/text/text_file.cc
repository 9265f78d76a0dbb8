#include "fs/text/text_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cache/block_stream.h"
#include "cache/cancellable_lock.h"
#include "cache/mutex.h"
#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "fs/text/block_sizes.h"

namespace plainfs {

namespace {

// Blocks formatted ahead of a sequential reader: the amount of two of the kernel's largest reads.
constexpr uint64_t kBlocksAhead = 16;

// Blocks that one thread measures in a row. Neighbours need the same chunks of the store, so threads would
// otherwise wait for each other's chunks.
constexpr uint64_t kMeasuredTogether = 32;

// The part of the cache's budget (1 / kKeptPart) that a measuring pass may fill with text.
constexpr uint64_t kKeptPart = 3;

// How often the kept text is refreshed during the pass: after every 1 / kRefreshPart of the budget in
// measured text.
constexpr uint64_t kRefreshPart = 16;

// The most bytes that a random read may take of a block that is not kept.
constexpr uint64_t kMaxInPassing = 16 << 10;

// The most text of a block that is kept.
constexpr uint64_t kMaxKeptText = 2 * kBlockText;

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

// The offsets of the groups of blocks. Immutable.
struct TextOffsets {
  explicit TextOffsets(MeasuredPtr its) : measured(std::move(its)) {}
  // numbers: the division, then the offset of each group, then the size of the file.
  const MeasuredPtr measured;

  uint64_t division() const { return measured->numbers[0]; }
  std::span<const uint64_t> of() const { return std::span(measured->numbers).subspan(1); }
  uint64_t file_size() const { return measured->numbers.back(); }
  // Returns whether `measured` has a valid form. Data from another session are checked before they are used.
  static bool are_in(const Measured& measured) {
    const std::span<const uint64_t> numbers = measured.numbers;
    return numbers.size() >= 2 && std::is_sorted(numbers.begin() + 1, numbers.end());
  }
};

struct TextBlock {
  Bytes bytes;  // begins with the text
  size_t size = 0;
  size_t allocated_bytes() const { return bytes.capacity(); }
  ByteSpan text() const { return ByteSpan(bytes).first(size); }
};

// The offsets of the blocks of one group, and last its end.
struct GroupOffsets {
  std::vector<uint64_t> begins;
  size_t allocated_bytes() const { return begins.capacity() * sizeof(uint64_t); }
};

// The state of a TextFile: the blocks of its source, their offsets once they are measured, and the text of
// the blocks that are kept.
struct TextFile::State : BlockStream<TextBlock> {
  // The place of a block in the text.
  struct Extent {
    uint64_t begin, end;
    uint64_t size() const { return end - begin; }
  };

  State(std::unique_ptr<TextSource> text_source, Context& its_context)
      : BlockStream(its_context.cache, its_context.workers, kBlocksAhead),
        source(std::move(text_source)),
        context(its_context),
        budget(its_context.cache.statistics().budget_bytes),
        groups_owner(its_context.cache.new_owner()) {}
  ~State() override { context.cache.drop(groups_owner, groups_owner + 1); }

  void get_ready();
  void get_head();
  void prepare() REQUIRES(published.preparing);
  uint64_t parts_to_measure();
  void measure_part(uint64_t part, uint64_t parts);
  void measure_groups(uint64_t begin, uint64_t end, bool keeps_text) REQUIRES(published.preparing);
  void measure() REQUIRES(published.preparing);
  void forget_measured() REQUIRES(published.preparing);
  BlockSizes& sizes_to_measure() REQUIRES(published.preparing);
  std::shared_ptr<BlockSizes> take_sizes() REQUIRES(published.preparing);
  MeasuredPtr measured_in_part() const;
  void adopt_part(const MeasuredPtr& measured);
  std::optional<Slices> beginning(size_t from, size_t to);
  uint64_t group_count() const { return divide_up(source->block_count(), in_group); }
  uint64_t division() const;
  uint64_t measure_group(uint64_t group) const;
  std::shared_ptr<const GroupOffsets> offsets_in(uint64_t group) const;
  Extent extent_of(uint64_t block) const;
  uint64_t block_size(uint64_t block) const { return extent_of(block).size(); }
  uint64_t block_at(uint64_t offset) const;
  uint64_t measure_block(uint64_t block);
  std::optional<uint64_t> keep_formatted(uint64_t block);
  void refresh_kept(uint64_t measured_bytes);
  void count_offsets(uint64_t numbers) { offsets_room.emplace(context.cache, numbers * sizeof(uint64_t)); }
  void count_formatted(uint64_t bytes) const;
  std::shared_ptr<const TextBlock> part_while_measuring(uint64_t block, uint64_t from, uint64_t to);
  TextBlock make(uint64_t block) const override;
  TextBlock formatted(uint64_t block, uint64_t size) const;
  void format(uint64_t block, uint64_t size, Bytes& bytes) const;

  const std::unique_ptr<TextSource> source;
  Context& context;
  const uint64_t budget;        // of the cache, in bytes
  const uint64_t groups_owner;  // in the cache, of the offsets in groups
  uint64_t in_group = 1;        // blocks that have one offset; final once the source is prepared
  PublishedSize published;
  bool prepared GUARDED_BY(published.preparing) = false;  // the source and head are final
  MeasuredPtr before GUARDED_BY(published.preparing);  // an adopted measurement in part, not yet in `sizes`
  mutable Mutex sharing;                               // no longer than to copy the pointer
  std::shared_ptr<BlockSizes> sizes GUARDED_BY(sharing);  // null: no pass is under way
  // The text that the pass measures; the source may be prepared again meanwhile. The version is empty if
  // another session cannot continue the pass.
  std::string version_of_sizes GUARDED_BY(sharing);
  uint64_t division_of_sizes GUARDED_BY(sharing) = 0;
  std::atomic<uint64_t> kept_bytes{0};     // of text; relaxed, like the next two: a small excess is harmless
  std::atomic<uint64_t> kept_end{0};       // one past the last block that is kept
  std::atomic<uint64_t> since_refresh{0};  // bytes of text measured
  std::atomic<bool> ready{false};     // set once head, offsets and begins are final; read without the lock
  std::string head;                   // if it follows the blocks: final once has_head is set
  std::atomic<bool> has_head{false};  // for a head that follows the blocks
  std::optional<TextOffsets> offsets;
  std::optional<ByteCache::Reservation>
      offsets_room;                  // of the cache's budget: a text of terabytes has millions of blocks
  std::span<const uint64_t> begins;  // offsets of the groups: group_count + 1, the first after the head
  std::array<std::atomic<uint64_t>, 64>
      touched{};  // block + 1 for blocks that readers jumped to lately; relaxed
};

void TextFile::State::get_ready() {
  if (ready.load(std::memory_order_acquire)) return;
  const CancellableLock lock(published.preparing, published.waiting);
  if (ready.load(std::memory_order_relaxed)) return;
  prepare();
  if (!offsets) {
    // A measurement of another division gives the file size but not the block offsets.
    const MeasuredPtr& adopted = published.adopted();
    if (adopted && TextOffsets(adopted).division() == division())
      offsets.emplace(adopted);
    else
      measure();
    published.publish(offsets->file_size());
  }
  begins = offsets->of();
  const bool is_other_head = !source->head_follows_blocks() && begins.front() != head.size();
  if (begins.size() != group_count() + 1 || is_other_head)
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
    measure_groups(0, group_count(), true);
  } catch (const Error&) {
    take_sizes();  // as in measure()
    throw;
  }
  const std::shared_ptr<BlockSizes> measured = take_sizes();
  for (uint64_t group = 0; group < measured->count(); ++group)
    if (measured->at(group) != begins[group + 1] - begins[group])
      throw Outdated("the text has changed since it was measured");
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
      if (its_size > kMaxKeptText) return std::nullopt;
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
  in_group =
      std::bit_ceil(divide_up(std::clamp<uint64_t>(source->block_count(), 1, kMaxBlocks), kMaxOffsets));
  prepared = true;
}

uint64_t TextFile::State::parts_to_measure() {
  const CancellableLock lock(published.preparing, published.waiting);
  prepare();
  check_block_count(source->block_count());
  return std::max<uint64_t>(
      1, source->block_count() * kBlockText / std::max<uint64_t>(1, budget / kPartOfBudget));
}

void TextFile::State::measure_part(uint64_t part, uint64_t parts) {
  const CancellableLock lock(published.preparing, published.waiting);
  if (offsets) return;
  prepare();
  check_block_count(source->block_count());
  const uint64_t count = group_count();
  try {
    measure_groups(count * part / parts, count * (part + 1) / parts, false);
  } catch (const Error&) {
    forget_measured();
    throw;
  }
}

// Returns the sizes of the pass that is under way, or of a new one, which continues an earlier session's.
BlockSizes& TextFile::State::sizes_to_measure() {
  const MutexLock lock(sharing);
  if (!sizes) {
    check_block_count(source->block_count());
    const uint64_t count = group_count();
    count_offsets(2 * count);  // sizes, and the offsets computed from them
    sizes = std::make_shared<BlockSizes>(count);
    // A head that follows the blocks needs all of them.
    version_of_sizes = source->head_follows_blocks() ? std::string() : source->version();
    division_of_sizes = division();
    if (before && !version_of_sizes.empty()) sizes->adopt(*before, division_of_sizes);
    before = nullptr;
  }
  return *sizes;
}

// Ends the pass and returns its sizes.
std::shared_ptr<BlockSizes> TextFile::State::take_sizes() {
  const MutexLock lock(sharing);
  return std::exchange(sizes, nullptr);
}

// Returns what the pass under way has measured so far; null if that is nothing, or cannot be continued.
MeasuredPtr TextFile::State::measured_in_part() const {
  std::shared_ptr<const BlockSizes> so_far;
  std::string version;
  uint64_t division = 0;
  {
    const MutexLock lock(sharing);
    so_far = sizes;
    version = version_of_sizes;
    division = division_of_sizes;
  }
  return so_far && !version.empty() ? so_far->measured_in_part(version, division) : nullptr;
}

// Takes what an earlier session has measured, for the next pass.
void TextFile::State::adopt_part(const MeasuredPtr& measured) {
  if (!published.preparing.try_lock()) return;
  const MutexLock lock(published.preparing, std::adopt_lock);
  if (measured->version == version_in_part(source->version())) before = measured;
}

// Measures the groups from `begin` to `end` that were not measured yet, into `sizes`.
void TextFile::State::measure_groups(uint64_t begin, uint64_t end, bool keeps_text) {
  BlockSizes& measured = sizes_to_measure();
  const bool is_patient = Request::current() && Request::current()->is_patient();
  keeps_text = keeps_text && !is_patient && in_group == 1;
  const uint64_t at_once = std::max<uint64_t>(1, kMeasuredTogether / in_group);
  context.workers.parallel_for(divide_up(end - begin, at_once), [&](size_t together) {
    const uint64_t first = begin + together * at_once;
    for (uint64_t i = first; i < std::min(end, first + at_once); ++i) {
      if (measured.at(i)) continue;
      check_cancelled();
      if (is_patient && published.waiting.load(std::memory_order_relaxed) > 0) throw Cancelled();
      measured.set(i, keeps_text ? measure_block(i) : measure_group(i));
    }
  });
}

void TextFile::State::measure() try {
  const uint64_t count = group_count();
  measure_groups(0, count, true);
  if (source->head_follows_blocks()) {
    head = source->head();
    has_head.store(true, std::memory_order_relaxed);
  }
  Measured measured{source->version(), {}};
  std::vector<uint64_t>& numbers = measured.numbers;
  numbers.reserve(count + 2);
  numbers.push_back(division());
  numbers.push_back(head.size());
  const BlockSizes& sizes_of_groups = sizes_to_measure();
  for (uint64_t group = 0; group < count; ++group)
    numbers.push_back(checked_add(numbers.back(), sizes_of_groups.at(group).value()));
  take_sizes();
  count_offsets(count);
  offsets.emplace(std::make_shared<const Measured>(std::move(measured)));
} catch (const Error&) {
  forget_measured();
  throw;
}

// Forgets all measurements after an error, because the next attempt may fail differently or succeed.
void TextFile::State::forget_measured() {
  take_sizes();
  offsets_room.reset();
  prepared = false;
  forget_all();
  context.cache.drop(groups_owner, groups_owner + 1);
  kept_bytes.store(0, std::memory_order_relaxed);
}

// Returns the division of the source, or another number if its blocks are grouped.
uint64_t TextFile::State::division() const {
  return in_group == 1 ? source->division() : source->division() ^ in_group * 0xd1b54a32d192ed03u;
}

uint64_t TextFile::State::measure_group(uint64_t group) const {
  const uint64_t first = group * in_group, end = std::min(first + in_group, source->block_count());
  uint64_t size = 0;
  for (uint64_t block = first; block < end; ++block) {
    check_cancelled();
    size = checked_add(size, source->measure(block));
    context.counters.text_blocks_measured.fetch_add(1, std::memory_order_relaxed);
  }
  return size;
}

// Returns the offsets of the blocks of a group, measured if the cache does not hold them.
std::shared_ptr<const GroupOffsets> TextFile::State::offsets_in(uint64_t group) const {
  return context.cache.get<GroupOffsets>({groups_owner, group}, [&] {
    const uint64_t first = group * in_group, count = std::min(in_group, source->block_count() - first);
    std::vector<uint64_t> found(count + 1);
    context.workers.parallel_for(count, [&](size_t i) {
      check_cancelled();
      found[i + 1] = source->measure(first + i);
    });
    found[0] = begins[group];
    for (uint64_t i = 0; i < count; ++i) found[i + 1] = checked_add(found[i + 1], found[i]);
    if (found.back() != begins[group + 1]) throw Outdated("the text has changed since it was measured");
    return GroupOffsets{std::move(found)};
  });
}

TextFile::State::Extent TextFile::State::extent_of(uint64_t block) const {
  if (in_group == 1) return {begins[block], begins[block + 1]};
  const std::shared_ptr<const GroupOffsets> of = offsets_in(block / in_group);
  return {of->begins[block % in_group], of->begins[block % in_group + 1]};
}

// Returns the block that contains the offset. Blocks may be empty, so it is the last one that begins at or
// before it. Requires: begins.front() <= offset < the size of the file.
uint64_t TextFile::State::block_at(uint64_t offset) const {
  const auto last_before = [offset](std::span<const uint64_t> sorted) {
    return static_cast<uint64_t>(std::upper_bound(sorted.begin(), sorted.end(), offset) - sorted.begin()) - 1;
  };
  const uint64_t group = last_before(begins);
  return in_group == 1 ? group : group * in_group + last_before(offsets_in(group)->begins);
}

uint64_t TextFile::State::measure_block(uint64_t block) {
  std::optional<uint64_t> size;
  if (kept_bytes.load(std::memory_order_relaxed) < budget / kKeptPart && source->should_cache(block))
    size = keep_formatted(block);
  if (!size) size = source->measure(block);
  context.counters.text_blocks_measured.fetch_add(1, std::memory_order_relaxed);
  refresh_kept(*size);
  return *size;
}

// Formats the block into the cache and returns its size; nullopt if it is too large to keep.
std::optional<uint64_t> TextFile::State::keep_formatted(uint64_t block) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(kMaxKeptText + ByteSink::kMargin);
  ByteSink sink(buffer.get(), kMaxKeptText);
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
std::shared_ptr<const TextBlock> TextFile::State::part_while_measuring(uint64_t block, uint64_t from,
                                                                       uint64_t to) {
  const uint64_t size = block_size(block);
  if (to - from > kMaxInPassing || size > kMaxKeptText || source->should_cache(block) || held(block))
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

void check_block_count(uint64_t count) {
  if (count > kMaxBlocks)
    throw unsupported("a text of {} blocks of {} KiB is too large", count, kBlockText >> 10);
}

void check_kept_blocks(uint64_t count) {
  if (count > kMaxKeptBlocks)
    throw unsupported("a text of {} blocks of {} KiB is too large", count, kBlockText >> 10);
}

TextFile::TextFile(std::unique_ptr<TextSource> source, Context& context)
    : state_(std::make_shared<State>(std::move(source), context)) {}

TextFile::~TextFile() = default;

uint64_t TextFile::size() {
  if (const std::optional<uint64_t> known = known_size()) return *known;
  state_->get_ready();
  return state_->offsets->file_size();
}

std::optional<uint64_t> TextFile::known_size() {
  return state_->published.known();
}

uint64_t TextFile::parts_to_measure() {
  return known_size() ? 1 : state_->parts_to_measure();
}

void TextFile::measure_part(uint64_t part, uint64_t parts) {
  if (!known_size()) state_->measure_part(part, parts);
}

// Returns a measurement in part while a pass is under way; null if nothing is known.
MeasuredPtr TextFile::measured() const {
  if (state_->ready.load(std::memory_order_acquire)) return state_->offsets->measured;
  return state_->published.known() ? state_->published.adopted() : state_->measured_in_part();
}

uint64_t TextFile::cut_before(uint64_t offset) const {
  const MeasuredPtr of = measured();
  if (!of) return 0;
  const std::span<const uint64_t> begins = TextOffsets(of).of();
  const auto after = std::upper_bound(begins.begin(), begins.end(), offset);
  return after == begins.begin() ? 0 : *(after - 1);
}

void TextFile::adopt(const MeasuredPtr& measured) {
  if (measured && is_in_part(*measured)) return state_->adopt_part(measured);
  state_->published.adopt(measured, state_->source->version(), TextOffsets::are_in,
                          [&] { state_->count_offsets(measured->numbers.size()); });
}

std::string TextFile::position_index(IndexKind kind) {
  state_->get_ready();
  return state_->source->position_index(kind);
}

bool TextFile::can_read_before_sized() const {
  return !state_->source->head_follows_blocks();
}

std::optional<Slices> TextFile::read_beginning(uint64_t offset, size_t size) {
  if (offset > kTextBeginning || size > kTextBeginning - offset) return std::nullopt;
  return state_->beginning(offset, offset + size);
}

Slices TextFile::read(uint64_t offset, size_t size) {
  if (offset == 0 && size > 0 && !state_->ready.load(std::memory_order_acquire)) {
    if (std::optional<Slices> slices = read_beginning(0, size)) return *std::move(slices);
  }
  state_->get_ready();
  const uint64_t file_size = state_->offsets->file_size();
  Slices slices;
  if (offset >= file_size || size == 0) return slices;
  const uint64_t end = offset + std::min<uint64_t>(size, file_size - offset);
  if (const uint64_t head_end = state_->begins.front(); offset < head_end) {
    state_->get_head();
    const ByteSpan head = as_byte_span(state_->head);
    slices.add(head.subspan(offset, std::min(end, head_end) - offset), state_);
    offset = head_end;
  }
  if (offset >= end) return slices;
  const uint64_t first = state_->block_at(offset), last = state_->block_at(end - 1) + 1;
  state_->follow(first, last, state_->source->block_count());
  for (uint64_t i = first; i < last; ++i) {
    const State::Extent extent = state_->extent_of(i);
    if (extent.size() == 0) continue;
    const uint64_t from = std::max(offset, extent.begin) - extent.begin;
    const uint64_t to = std::min(end, extent.end) - extent.begin;
    if (!state_->is_sequential()) {
      if (const auto part = state_->part_while_measuring(i, from, to)) {
        slices.add(part->text(), part);
        continue;
      }
    }
    const std::shared_ptr<const TextBlock> block = state_->block(i);
    if (block->size != extent.size()) throw Outdated("the text has changed since it was measured");
    slices.add(block->text().subspan(from, to - from), block);
  }
  return slices;
}

}  // namespace plainfs
