#include "formats/core/remote/block_pool.h"

#include <algorithm>
#include <cstring>

#include "formats/core/base/checked.h"

namespace plainfs::remote {

namespace {

constexpr size_t kMaxSequences = 64;
constexpr uint64_t kLeastSlack = 2;
constexpr uint64_t kFirstWindow = 2;  // doubled when the second block is read
// A sequence ends if it was not read during this many times as many reads as there are sequences.
constexpr uint64_t kTurns = 4;

}  // namespace

// Finds the sequence of a read. Readers on several threads arrive slightly out of order.
ReadAhead::Sequence* ReadAhead::sequence_of(BlockRange read) {
  for (Sequence& sequence : sequences_) {
    const uint64_t slack = std::max(kLeastSlack, sequence.window);
    if (read.first <= sequence.at + slack / 2 && read.first + slack >= sequence.at) return &sequence;
  }
  return nullptr;
}

// Returns the widest window of a sequence. Sequences that are read side by side share what may be in transit:
// a server answers a limited number of requests at once, and a reader's block would queue behind blocks
// fetched far ahead for another reader.
uint64_t ReadAhead::widest() const {
  const uint64_t lately = kTurns * sequences_.size();
  const auto active = std::count_if(sequences_.begin(), sequences_.end(),
                                    [&](const Sequence& sequence) { return sequence.used + lately > now_; });
  return std::max(kFirstWindow, max_ahead_ / static_cast<uint64_t>(std::max<std::ptrdiff_t>(1, active)));
}

// Returns the block at which another sequence began, which may have read on from there long ago. Blocks that
// it has read are not kept for a reader that only comes near.
uint64_t ReadAhead::end_of_unread(const Sequence& of, BlockRange read) const {
  uint64_t end = UINT64_MAX;
  for (const Sequence& other : sequences_)
    if (&other != &of && other.start > read.first) end = std::min(end, other.start);
  return end;
}

BlockRange ReadAhead::after(BlockRange read) {
  ++now_;
  Sequence* const known = sequence_of(read);
  if (!known) {
    const auto oldest =
        std::min_element(sequences_.begin(), sequences_.end(),
                         [](const Sequence& a, const Sequence& b) { return a.used < b.used; });
    const Sequence begun{read.first, read.end, read.end, std::max(kFirstWindow, read.end - read.first), now_};
    if (sequences_.size() < kMaxSequences)
      sequences_.push_back(begun);
    else
      *oldest = begun;
    return {read.end, read.end};
  }
  Sequence& sequence = *known;
  sequence.used = now_;
  if (read.end <= sequence.at) return {read.end, read.end};
  sequence.at = read.end;
  sequence.asked = std::max(sequence.asked, sequence.at);
  if (sequence.asked - sequence.at > sequence.window / 2) return {read.end, read.end};
  sequence.window = std::min(widest(), std::max(sequence.window * 2, read.end - read.first));
  const uint64_t end = std::min(sequence.at + sequence.window, end_of_unread(sequence, read));
  const BlockRange ahead{sequence.asked, std::max(sequence.asked, end)};
  sequence.asked = ahead.end;
  return ahead;
}

namespace {

constexpr uint64_t kMaxRequest = 8 << 20;
constexpr uint64_t kMaxAtOnce = 8 << 20;  // for one read; the rest of a longer one is read ahead
constexpr uint64_t kLeastShare = 4 << 20, kMaxShare = 64 << 20;
// A gap of this size costs less to fetch than another request.
constexpr uint64_t kGapBlocks = 1;
constexpr uint64_t kSmallStore = 8 << 20;
// The most blocks of a read of metadata, and the blocks to fetch around it: most stores have them in few
// places.
constexpr uint64_t kMetadataBlocks = 2, kSurroundings = 4;
constexpr uint64_t kMaxScatteredReads = 16;  // a store that needs more has its metadata everywhere

uint64_t share_of(uint64_t budget, size_t pools) {
  return std::clamp(budget / 4 / pools, kLeastShare, kMaxShare);
}

}  // namespace

// Blocks that were requested together.
struct BlockPool::PendingFetch {
  PendingFetch(uint64_t of, std::shared_ptr<RangeFetch> begun, BlockRange which, uint64_t size, uint64_t now)
      : object(of),
        fetch(std::move(begun)),
        blocks(which),
        bytes(size),
        asked_at(now),
        is_used(which.end - which.first),
        unused(is_used.size()) {}

  const uint64_t object;
  const std::shared_ptr<RangeFetch> fetch;
  const BlockRange blocks;
  const uint64_t bytes;     // that arrive; the request may be for more than the object has
  const uint64_t asked_at;  // value of BlockPool::read_bytes_ at that time
  // Guarded by the pool's mutex.
  std::vector<bool> is_used;  // the whole block was read
  uint64_t unused;
};

// The source of a block: one of the two, or the disk.
struct BlockPool::Place {
  BlockPtr block;
  PendingFetchPtr coming;
};

BlockPool::BlockPool(std::shared_ptr<HttpClient> client, ByteCache& cache, size_t pools)
    : client_(std::move(client)),
      share_(share_of(cache.statistics().budget_bytes, pools)),
      max_kept_(share_ / 2),
      max_coming_(share_ / 2),
      room_(cache, share_) {}

BlockPool::PendingFetchPtr BlockPool::coming_of(Key key) const {
  const auto after = coming_.upper_bound(key);
  if (after == coming_.begin()) return nullptr;
  const PendingFetchPtr& found = std::prev(after)->second;
  return found->object == key.first && key.second < found->blocks.end ? found : nullptr;
}

BlockPool::BlockPtr BlockPool::kept_of(Key key) {
  const auto found = kept_.find(key);
  if (found == kept_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second.recency);
  return found->second.block;
}

void BlockPool::keep(Key key, ByteSpan bytes) {
  if (kept_of(key)) return;
  kept_bytes_ += bytes.size();
  recent_.push_front(key);
  kept_.emplace(key, CachedBlock{std::make_shared<const Bytes>(bytes.begin(), bytes.end()), recent_.begin()});
  while (kept_bytes_ > max_kept_ && recent_.size() > 1) {
    const auto oldest = kept_.find(recent_.back());
    kept_bytes_ -= oldest->second.block->size();
    kept_.erase(oldest);
    recent_.pop_back();
  }
}

void BlockPool::drop(const PendingFetchPtr& gone) {
  const auto found = coming_.find({gone->object, gone->blocks.first});
  if (found == coming_.end() || found->second != gone) return;
  coming_bytes_ -= gone->bytes;
  coming_.erase(found);
  by_age_.remove(gone);
}

// Makes room for `wanted` bytes, which are needed now, and for `ahead` bytes, which are requested ahead of a
// reader. Fetches that were read completely are kept for a while, because readers on several threads come
// back to them, but they are dropped first. Next are fetches that arrived and were not read while readers
// read twice the limit. Any other fetch is dropped only for bytes that are needed now: otherwise blocks
// fetched ahead for one reader would evict those of another, and be fetched again.
void BlockPool::make_room(uint64_t wanted, uint64_t ahead) {
  const auto drop_while = [this](uint64_t bytes, uint64_t most, auto&& may_go) REQUIRES(mutex_) {
    for (auto at = by_age_.begin(); at != by_age_.end() && coming_bytes_ + bytes > most;) {
      const PendingFetchPtr old = *at++;
      if (may_go(*old)) drop(old);
    }
  };
  drop_while(wanted + ahead, max_coming_ / 2, [](const PendingFetch& old) { return old.unused == 0; });
  drop_while(wanted + ahead, max_coming_, [this](const PendingFetch& old) REQUIRES(mutex_) {
    return old.fetch->is_done() && read_bytes_ - old.asked_at > 2 * max_coming_;
  });
  drop_while(wanted, max_coming_, [](const PendingFetch& old) { return old.fetch->is_done(); });
}

void BlockPool::ask_for(PooledObject& of, BlockRange range, Fetches& asked) {
  constexpr uint64_t kMaxBlocks = kMaxRequest / kBlockBytes;
  for (uint64_t first = range.first; first < range.end; first += kMaxBlocks) {
    const BlockRange part{first, std::min(range.end, first + kMaxBlocks)};
    const uint64_t offset = part.first * kBlockBytes;
    auto fetch = std::make_shared<RangeFetch>(of.object, ByteRange{offset, of.end_of(part.end - 1) - offset},
                                              *client_);
    asked.push_back(fetch);
    const uint64_t bytes = fetch->range().size;
    coming_bytes_ += bytes;
    by_age_.push_back(std::make_shared<PendingFetch>(of.id, std::move(fetch), part, bytes, read_bytes_));
    coming_[{of.id, part.first}] = by_age_.back();
  }
}

// Requests the blocks that are neither in memory, nor on the disk, nor in transit. Adjacent blocks share one
// request, which never overlaps one in transit.
BlockPool::Fetches BlockPool::ask_for_missing(PooledObject& of, const std::vector<BlockRange>& ranges) {
  Fetches asked;
  BlockRange joined{0, 0};
  for (const BlockRange& range : ranges) {
    const uint64_t first = std::max(range.first, joined.end);
    for (uint64_t block = first; block < std::min(range.end, of.blocks()); ++block) {
      if (!is_missing(of, block)) continue;
      const bool is_near = joined.first < joined.end && block <= joined.end + kGapBlocks &&
                           (block == joined.end || !coming_of({of.id, joined.end}));
      if (!is_near) {
        ask_for(of, joined, asked);
        joined.first = block;
      }
      joined.end = block + 1;
    }
  }
  ask_for(of, joined, asked);
  return asked;
}

bool BlockPool::is_missing(const PooledObject& of, uint64_t block) const {
  const Key key{of.id, block};
  return !kept_.contains(key) && !(of.disk && of.disk->has(block)) && !coming_of(key);
}

bool BlockPool::is_any_missing(const PooledObject& of, BlockRange range) const {
  for (uint64_t block = range.first; block < std::min(range.end, of.blocks()); ++block)
    if (is_missing(of, block)) return true;
  return false;
}

// Returns whether to fetch the rest of the object, once, when a second part of it is needed: one request
// takes as long as the several that it replaces.
bool BlockPool::takes_rest(PooledObject& of) const {
  if (!of.is_store || of.size > std::min(kSmallStore, max_coming_ / 2) || of.is_rest_taken) return false;
  of.is_rest_taken = true;
  return true;
}

// Returns the blocks to fetch for a read of missing ones. Data are announced (fetch) or read in sequence. Any
// other small read is of metadata, and more of them are near.
BlockRange BlockPool::surroundings(PooledObject& of, BlockRange range) const {
  if (takes_rest(of)) return {0, of.blocks()};
  if (!of.is_store || range.end - range.first > kMetadataBlocks || of.scattered_reads == kMaxScatteredReads)
    return range;
  if (kSurroundings * kBlockBytes > max_coming_ / 16) return range;
  ++of.scattered_reads;
  return {range.first / kSurroundings * kSurroundings, divide_up(range.end, kSurroundings) * kSurroundings};
}

std::vector<BlockPool::Place> BlockPool::plan(PooledObject& of, BlockRange range) {
  MutexLock lock(mutex_);
  BlockRange next = of.ahead.after(range);
  next.end = std::min(next.end, of.blocks());
  const bool is_in_sequence = next.first < next.end;
  const BlockRange needed = !is_in_sequence && is_any_missing(of, range) ? surroundings(of, range) : range;
  const uint64_t wanted = needed.end - needed.first, ahead = is_in_sequence ? next.end - range.end : 0;
  make_room(wanted * kBlockBytes, ahead * kBlockBytes);
  const bool has_room =
      is_in_sequence && coming_bytes_ + (next.end - range.first) * kBlockBytes <= max_coming_;
  const Fetches asked = ask_for_missing(of, has_room ? std::vector{needed, next} : std::vector{needed});
  std::vector<Place> places;
  for (uint64_t block = range.first; block < range.end; ++block)
    places.push_back({kept_of({of.id, block}), coming_of({of.id, block})});
  lock.unlock();
  for (const auto& fetch : asked) fetch->start();
  return places;
}

void BlockPool::copy(PooledObject& of, const Place& place, uint64_t block, uint64_t offset,
                     std::span<std::byte> out) {
  if (place.block) {
    std::memcpy(out.data(), place.block->data() + offset, out.size());
    return;
  }
  if (!place.coming) {
    if (copy_from_disk(of, block, offset, out)) return;
    // The disk's block is damaged; from now on it counts as absent.
    return copy(of, plan(of, {block, block + 1}).front(), block, offset, out);
  }
  PendingFetch& from = *place.coming;
  const uint64_t start = (block - from.blocks.first) * kBlockBytes;
  const uint64_t block_size = of.end_of(block) - block * kBlockBytes;
  try {
    from.fetch->wait(start + block_size);
  } catch (const Error&) {
    const MutexLock lock(mutex_);
    drop(place.coming);  // the next reader requests it again
    throw;
  }
  const ByteSpan bytes(from.fetch->bytes() + start, block_size);
  std::memcpy(out.data(), bytes.data() + offset, out.size());
  if (of.disk) of.disk->write(block, bytes);
  const MutexLock lock(mutex_);
  // A chunk that is a whole object is decoded once; a document may be read again.
  if (out.size() < block_size || of.blocks() == 1) keep({of.id, block}, bytes);
  std::vector<bool>::reference is_used = from.is_used[block - from.blocks.first];
  if (is_used) return;
  is_used = true;
  read_bytes_ += block_size;
  --from.unused;
  const bool is_all = from.blocks.first == 0 && from.blocks.end == of.blocks();
  if (from.unused == 0 && is_all) drop(place.coming);  // for example a chunk that is a whole object
}

bool BlockPool::copy_from_disk(const PooledObject& of, uint64_t block, uint64_t offset,
                               std::span<std::byte> out) {
  const uint64_t block_size = of.end_of(block) - block * kBlockBytes;
  if (out.size() == block_size) return of.disk->read(block, out);
  Bytes bytes(block_size);
  if (!of.disk->read(block, bytes)) return false;
  std::memcpy(out.data(), bytes.data() + offset, out.size());
  const MutexLock lock(mutex_);
  keep({of.id, block}, bytes);
  return true;
}

void BlockPool::read(PooledObject& of, uint64_t offset, std::span<std::byte> out) {
  while (!out.empty()) {
    const uint64_t size = std::min<uint64_t>(out.size(), kMaxAtOnce);
    const BlockRange range{offset / kBlockBytes, (offset + size - 1) / kBlockBytes + 1};
    const std::vector<Place> places = plan(of, range);
    for (uint64_t block = range.first; block < range.end; ++block) {
      const uint64_t from = std::max(offset, block * kBlockBytes);
      const uint64_t end = std::min(of.end_of(block), offset + size);
      copy(of, places[block - range.first], block, from - block * kBlockBytes,
           out.subspan(from - offset, end - from));
    }
    offset += size;
    out = out.subspan(size);
  }
}

namespace {

// Returns the range that the sorted `ranges` cover, or an empty one if they leave larger gaps.
BlockRange covered(const std::vector<BlockRange>& ranges) {
  if (ranges.empty()) return {0, 0};
  for (size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first > ranges[i - 1].end + kGapBlocks) return {0, 0};
  return {ranges.front().first, ranges.back().end};
}

uint64_t bytes_in(BlockRange range) {
  return (range.end - range.first) * kBlockBytes;
}

}  // namespace

// Announced ranges that follow one another are read ahead of like reads, in the same requests.
void BlockPool::fetch(PooledObject& of, const std::vector<BlockRange>& ranges) {
  uint64_t bytes = 0;
  for (const BlockRange& range : ranges) bytes += bytes_in(range);
  Fetches asked;
  {
    const MutexLock lock(mutex_);
    std::vector<BlockRange> wanted = ranges;
    const BlockRange all = covered(ranges);
    BlockRange next = all.first < all.end ? of.ahead.after(all) : all;
    next.end = std::max(next.first, std::min(next.end, of.blocks()));
    const bool is_needed = std::any_of(ranges.begin(), ranges.end(), [&](BlockRange range) REQUIRES(mutex_) {
      return is_any_missing(of, range);
    });
    const bool is_rest = is_needed && takes_rest(of);
    if (is_rest) {
      bytes = of.size;
      wanted = {BlockRange{0, of.blocks()}};
    }
    make_room(0, bytes + bytes_in(next));
    if (!is_rest && coming_bytes_ + bytes + bytes_in(next) <= max_coming_) wanted.push_back(next);
    if (coming_bytes_ + bytes <= max_coming_) asked = ask_for_missing(of, wanted);
  }
  for (const auto& fetch : asked) fetch->start();
}

void BlockPool::adopt(PooledObject& of, std::shared_ptr<RangeFetch> first) {
  const uint64_t fetched = std::min(first->range().size, of.size);
  // A block that is only partly there is fetched again when it is needed.
  const uint64_t blocks = fetched == of.size ? of.blocks() : fetched / kBlockBytes;
  if (blocks == 0) return;
  const MutexLock lock(mutex_);
  make_room(fetched, 0);
  coming_bytes_ += fetched;
  by_age_.push_back(
      std::make_shared<PendingFetch>(of.id, std::move(first), BlockRange{0, blocks}, fetched, read_bytes_));
  coming_[{of.id, 0}] = by_age_.back();
}

void BlockPool::forget(const PooledObject& of) {
  const MutexLock lock(mutex_);
  for (auto at = coming_.lower_bound({of.id, 0}); at != coming_.end() && at->first.first == of.id;)
    drop(std::shared_ptr((at++)->second));
  for (auto at = kept_.lower_bound({of.id, 0}); at != kept_.end() && at->first.first == of.id;) {
    kept_bytes_ -= at->second.block->size();
    recent_.erase(at->second.recency);
    at = kept_.erase(at);
  }
}

}  // namespace plainfs::remote
