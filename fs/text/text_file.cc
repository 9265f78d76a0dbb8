#include "fs/text/text_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "cache/block_stream.h"
#include "cache/request.h"
#include "formats/base/checked.h"

namespace plainfs {

namespace {

// How many blocks are formatted ahead of a sequential reader: what the kernel asks for in two of its largest
// reads.
constexpr uint64_t kBlocksAhead = 16;

// Neighbours need the same chunks of the store: one thread measures so many in a row, else threads would wait
// for each other's chunks.
constexpr uint64_t kMeasuredTogether = 32;

constexpr uint64_t kNotMeasured = UINT64_MAX;

// Of the cache's budget: what a pass that measures may keep of the text.
constexpr uint64_t kKeptPart = 3;

// How often that is used again meanwhile, in bytes of text measured: of the same budget.
constexpr uint64_t kRefreshPart = 16;

// What a reader who jumps about is given of a block that is not kept.
constexpr uint64_t kMostInPassing = 16 << 10;

// Blocks that are kept have at most so much text.
constexpr uint64_t kMostKeptText = 2 * kBlockText;

// Where blocks begin, and what was found out with it. Immutable.
struct Offsets {
  explicit Offsets(FindingPtr its_finding) : finding(std::move(its_finding)) {}
  // numbers: the division, then where each block begins, and last where the file ends.
  const FindingPtr finding;

  uint64_t division() const { return finding->numbers[0]; }
  std::span<const uint64_t> of() const { return std::span(finding->numbers).subspan(1); }
  uint64_t file_size() const { return finding->numbers.back(); }
  // Of a source whose head comes out of measuring.
  const std::string& head() const { return finding->text; }
  // Whether finding may be one: what others have noted is looked at before it is used.
  static bool are_in(const Finding& finding) {
    const std::span<const uint64_t> numbers = finding.numbers;
    return numbers.size() >= 2 && std::is_sorted(numbers.begin() + 1, numbers.end());
  }
};

// How often somebody who waits for the pass of another looks whether anybody still waits for him.
constexpr std::chrono::milliseconds kBetweenLooks{1};

// Counted among those who wait.
class Waiting {
 public:
  explicit Waiting(std::atomic<int>& count) : count_(count) { ++count_; }
  ~Waiting() { --count_; }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  std::atomic<int>& count_;
};

// Blocks come and go by the thousand, each of another length: what is asked of the system's allocator are
// multiples of this, so that it finds room again without a search.
constexpr size_t kAllocationStep = 8 << 10;

// Bytes of a block of text, with more room behind it.
Bytes text_bytes(size_t size, size_t margin) {
  Bytes bytes;
  bytes.reserve((size + margin + kAllocationStep - 1) / kAllocationStep * kAllocationStep);
  bytes.resize(size + margin);
  return bytes;
}

struct TextBlock {
  Bytes bytes;  // begins with the text
  size_t size = 0;
  size_t allocated_bytes() const { return bytes.capacity(); }
  ByteSpan text() const { return ByteSpan(bytes).first(size); }
};

}  // namespace

void check_block_count(uint64_t count) {
  if (count > kMostBlocks) throw unsupported("a text of {} blocks is too large to be shown", count);
}

struct TextFile::State : BlockStream<TextBlock> {
  State(std::unique_ptr<TextSource> text_source, Context& its_context)
      : BlockStream(its_context.cache, its_context.workers, kBlocksAhead),
        source(std::move(text_source)),
        context(its_context),
        budget(its_context.cache.statistics().budget_bytes) {}

  void get_ready();
  void prepare();
  void measure();
  void look_at_adopted();
  uint64_t block_size(uint64_t block) const { return begins[block + 1] - begins[block]; }
  uint64_t measure_block(uint64_t block);
  std::optional<uint64_t> keep_formatted(uint64_t block);
  void refresh_kept(uint64_t measured_bytes);
  void count_offsets(uint64_t numbers) { offsets_room.emplace(context.cache, numbers * sizeof(uint64_t)); }
  void count_formatted(uint64_t bytes) const;
  std::shared_ptr<const TextBlock> part_in_passing(uint64_t block, uint64_t from, uint64_t to);
  TextBlock make(uint64_t block) const override;
  void format(uint64_t block, Bytes& bytes) const;

  const std::unique_ptr<TextSource> source;
  Context& context;
  const uint64_t budget;                // of the cache, in bytes
  std::mutex preparing;                 // held by the one who prepares or measures; guards prepared and sizes
  std::atomic<int> waiting{0};          // for that; relaxed: who sees it late goes on so long
  bool prepared = false;                // the source and head are final
  std::vector<uint64_t> sizes;          // of the blocks measured so far, kNotMeasured of the others
  std::atomic<uint64_t> kept_bytes{0};  // of text; relaxed, like the next: a little more is no harm
  std::atomic<uint64_t> kept_end{0};    // one past the last block that is kept
  std::atomic<uint64_t> since_refresh{0};  // bytes of text measured
  std::atomic<bool> ready{false};  // set once head, offsets and begins are final; read without the lock
  std::atomic<uint64_t> file_size{kNotMeasured};  // the last that is set, of adopted or offsets
  std::string head;
  Notebook notebook;               // of the source
  std::optional<Offsets> adopted;  // set before anybody else knows the file
  std::optional<Offsets> offsets;
  std::optional<ByteCache::Room> offsets_room;  // of the budget: a text of terabytes has millions of blocks
  std::span<const uint64_t> begins;             // of blocks: block_count + 1, the first after the head
  std::array<std::atomic<uint64_t>, 64> touched{};  // blocks + 1 that readers jumped to lately; relaxed
};

void TextFile::State::get_ready() {
  if (ready.load(std::memory_order_acquire)) return;
  std::unique_lock lock(preparing, std::defer_lock);
  if (!lock.try_lock()) {
    const Waiting one_more(waiting);
    while (!lock.try_lock()) {
      check_cancelled();
      std::this_thread::sleep_for(kBetweenLooks);
    }
  }
  if (ready.load(std::memory_order_relaxed)) return;
  prepare();
  if (adopted && !offsets) look_at_adopted();
  if (!offsets) measure();
  begins = offsets->of();
  if (source->head_follows_blocks()) head = offsets->head();
  if (begins.size() != source->block_count() + 1 || begins.front() != head.size())
    throw unreadable("the text has changed since it was measured");
  ready.store(true, std::memory_order_release);
}

// What was measured in another division says how long the text is, and not where its blocks begin.
// Requires: preparing is held.
void TextFile::State::look_at_adopted() {
  if (adopted->division() == source->division()) {
    offsets.emplace(*adopted);
    return;
  }
  measure();
  if (offsets->file_size() == adopted->file_size()) return;
  offsets.reset();
  file_size.store(adopted->file_size(), std::memory_order_release);
  throw unreadable("the text has changed since it was measured");
}

// Requires: preparing is held.
void TextFile::State::prepare() {
  if (prepared) return;
  {
    const Notebook::Scope scope(notebook);
    source->prepare();
  }
  if (!source->head_follows_blocks()) head = source->head();
  check_block_count(source->block_count());
  prepared = true;
}

// Requires: preparing is held.
void TextFile::State::measure() try {
  const uint64_t count = source->block_count();
  count_offsets(2 * count);  // sizes, and what comes out of them
  sizes.resize(count, kNotMeasured);
  const bool is_patient = Request::current() && Request::current()->is_patient();
  context.workers.parallel_for(divide_up(count, kMeasuredTogether), [&](size_t together) {
    const uint64_t first = together * kMeasuredTogether;
    for (uint64_t i = first; i < std::min(count, first + kMeasuredTogether); ++i) {
      if (sizes[i] != kNotMeasured) continue;
      check_cancelled();
      if (is_patient && waiting.load(std::memory_order_relaxed) > 0) throw Cancelled();
      sizes[i] = is_patient ? source->measure(i) : measure_block(i);
      context.counters.text_blocks_measured.fetch_add(1, std::memory_order_relaxed);
    }
  });
  if (source->head_follows_blocks()) head = source->head();
  Finding finding{source->version(), source->head_follows_blocks() ? head : std::string(), {}};
  finding.numbers.reserve(count + 2);
  finding.numbers.push_back(source->division());
  finding.numbers.push_back(head.size());
  for (const uint64_t size : sizes) finding.numbers.push_back(checked_add(finding.numbers.back(), size));
  sizes = {};
  count_offsets(count);
  offsets.emplace(std::make_shared<const Finding>(std::move(finding)));
  file_size.store(offsets->file_size(), std::memory_order_release);
} catch (const Error&) {
  // It may be another error the next time, or none: nothing is built on what there was.
  sizes = {};
  offsets_room.reset();
  notebook.clear();
  prepared = false;
  forget_all();
  kept_bytes.store(0, std::memory_order_relaxed);
  throw;
}

uint64_t TextFile::State::measure_block(uint64_t block) {
  std::optional<uint64_t> size;
  if (kept_bytes.load(std::memory_order_relaxed) < budget / kKeptPart && source->is_worth_keeping(block))
    size = keep_formatted(block);
  if (!size) size = source->measure(block);
  refresh_kept(*size);
  return *size;
}

// The size of the block, which is now in the cache; nullopt where it is too large for that.
std::optional<uint64_t> TextFile::State::keep_formatted(uint64_t block) {
  Bytes buffer(kMostKeptText + ByteSink::kMargin);
  ByteSink sink(reinterpret_cast<char*>(buffer.data()), kMostKeptText);
  try {
    source->format(block, sink);
  } catch (const Error&) {
    if (!sink.has_overflowed()) throw;
    kept_bytes.store(UINT64_MAX / 2, std::memory_order_relaxed);  // the next ones will hardly be smaller
    return std::nullopt;
  }
  TextBlock text;
  text.size = sink.size();
  text.bytes = text_bytes(text.size, 0);
  std::copy_n(buffer.data(), text.size, text.bytes.data());
  keep(block, std::move(text));
  count_formatted(sink.size());
  kept_bytes.fetch_add(sink.size(), std::memory_order_relaxed);
  uint64_t end = kept_end.load(std::memory_order_relaxed);
  while (end <= block && !kept_end.compare_exchange_weak(end, block + 1, std::memory_order_relaxed)) {
  }
  return sink.size();
}

// The chunks that the rest of the pass goes through once are to leave the cache before what is kept.
void TextFile::State::refresh_kept(uint64_t measured_bytes) {
  const uint64_t end = kept_end.load(std::memory_order_relaxed);
  const uint64_t since = since_refresh.fetch_add(measured_bytes, std::memory_order_relaxed) + measured_bytes;
  if (end == 0 || since < budget / kRefreshPart) return;
  since_refresh.store(0, std::memory_order_relaxed);
  for (uint64_t block = end; block-- > 0;) held(block);
}

TextBlock TextFile::State::make(uint64_t block) const {
  TextBlock text;
  text.size = block_size(block);
  text.bytes = text_bytes(text.size, ByteSink::kMargin);
  format(block, text.bytes);
  return text;
}

// Requires: bytes has room for the block and the margin behind it.
void TextFile::State::format(uint64_t block, Bytes& bytes) const {
  const uint64_t size = block_size(block);
  ByteSink sink(reinterpret_cast<char*>(bytes.data()), size);
  source->format(block, sink);
  if (sink.size() != size) throw unreadable("a block of text has changed since it was measured");
  count_formatted(size);
}

// Bytes [from, to) of a block that a reader jumped to, made in memory that is at hand. Null where the block
// is to be kept: held already, much work, or wanted again.
std::shared_ptr<const TextBlock> TextFile::State::part_in_passing(uint64_t block, uint64_t from,
                                                                  uint64_t to) {
  const uint64_t size = block_size(block);
  if (to - from > kMostInPassing || size > kMostKeptText || source->is_worth_keeping(block) || held(block))
    return nullptr;
  if (touched[block % touched.size()].exchange(block + 1, std::memory_order_relaxed) == block + 1)
    return nullptr;
  Bytes buffer(size + ByteSink::kMargin);
  format(block, buffer);
  return std::make_shared<const TextBlock>(
      TextBlock{Bytes(buffer.data() + from, buffer.data() + to), to - from});
}

void TextFile::State::count_formatted(uint64_t bytes) const {
  context.counters.text_blocks_formatted.fetch_add(1, std::memory_order_relaxed);
  context.counters.bytes_formatted.fetch_add(bytes, std::memory_order_relaxed);
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
  const uint64_t size = state_->file_size.load(std::memory_order_acquire);
  return size == kNotMeasured ? std::nullopt : std::optional(size);
}

// Null where they are not known.
FindingPtr TextFile::offsets() const {
  if (state_->ready.load(std::memory_order_acquire)) return state_->offsets->finding;
  if (state_->file_size.load(std::memory_order_acquire) == kNotMeasured || !state_->adopted) return nullptr;
  return state_->adopted->finding;
}

Findings TextFile::findings() const {
  const FindingPtr last = offsets();
  if (!last) return {};
  Findings findings = state_->notebook.all();
  findings.push_back(last);
  return findings;
}

uint64_t TextFile::cut_before(uint64_t offset) const {
  const FindingPtr finding = offsets();
  if (!finding) return 0;
  const std::span<const uint64_t> begins = Offsets(finding).of();
  const auto after = std::upper_bound(begins.begin(), begins.end(), offset);
  return after == begins.begin() ? 0 : *(after - 1);
}

void TextFile::adopt(const Findings& findings) {
  // Others may have the same file open: what they have found out, or are about to, stays.
  const std::unique_lock lock(state_->preparing, std::try_to_lock);
  if (!lock || state_->file_size.load(std::memory_order_relaxed) != kNotMeasured || findings.empty()) return;
  const FindingPtr& last = findings.back();
  if (last->name != state_->source->version() || !Offsets::are_in(*last)) return;
  state_->notebook.adopt({findings.begin(), findings.end() - 1});
  state_->adopted.emplace(last);
  state_->count_offsets(last->numbers.size());
  state_->file_size.store(state_->adopted->file_size(), std::memory_order_release);
}

const TextSource& TextFile::source() const {
  return *state_->source;
}

Slices TextFile::read(uint64_t offset, size_t size) {
  state_->get_ready();
  const uint64_t file_size = state_->offsets->file_size();
  Slices slices;
  if (offset >= file_size || size == 0) return slices;
  const uint64_t end = offset + std::min<uint64_t>(size, file_size - offset);
  const std::span<const uint64_t> offsets = state_->begins;
  if (offset < offsets[0]) {
    const ByteSpan head = as_byte_span(state_->head);
    slices.add(head.subspan(offset, std::min(end, offsets[0]) - offset), state_);
    offset = offsets[0];
  }
  if (offset >= end) return slices;
  // The block that holds offset is the last that begins at or before it: blocks may be empty.
  const uint64_t first =
      static_cast<uint64_t>(std::upper_bound(offsets.begin(), offsets.end(), offset) - offsets.begin()) - 1;
  const uint64_t last =
      static_cast<uint64_t>(std::lower_bound(offsets.begin(), offsets.end(), end) - offsets.begin());
  state_->follow(first, last, offsets.size() - 1);
  for (uint64_t i = first; i < last; ++i) {
    if (state_->block_size(i) == 0) continue;
    const uint64_t from = std::max(offset, offsets[i]) - offsets[i];
    const uint64_t to = std::min(end, offsets[i + 1]) - offsets[i];
    if (!state_->is_sequential()) {
      if (const auto part = state_->part_in_passing(i, from, to)) {
        slices.add(part->text(), part);
        continue;
      }
    }
    const std::shared_ptr<const TextBlock> block = state_->block(i);
    if (block->size != state_->block_size(i)) throw unreadable("the text has changed since it was measured");
    slices.add(block->text().subspan(from, to - from), block);
  }
  return slices;
}

}  // namespace plainfs
