// The blocks of remote objects that are in memory or in transit (BlockPool), and the prediction of those that
// are read next (ReadAhead).
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "cache/byte_cache.h"
#include "cache/mutex.h"
#include "formats/core/remote/disk_cache.h"
#include "formats/core/remote/range_fetch.h"

namespace plainfs::remote {

inline constexpr uint64_t kBlockBytes = 64 << 10;  // of a file, except for its last block

struct BlockRange {
  uint64_t first;
  uint64_t end;
  bool operator==(const BlockRange&) const = default;
};

// The prediction of the blocks of one file that are read next, from those read so far. Follows several
// sequences at once: the data and the indices of a sparse matrix are read side by side. For one thread at a
// time.
class ReadAhead {
 public:
  // max_ahead: blocks, at least 1.
  explicit ReadAhead(uint64_t max_ahead) : max_ahead_(max_ahead) {}

  // Records that the blocks `read` are read now. Returns the blocks to fetch ahead, none if first == end.
  // They may overlap blocks that were returned before, but never blocks that were read.
  BlockRange after(BlockRange read);

 private:
  struct Sequence {
    uint64_t start;   // the first block of the sequence
    uint64_t at;      // the next block to read
    uint64_t asked;   // the first block not yet returned
    uint64_t window;  // blocks
    uint64_t used;    // time of the last read
  };
  Sequence* sequence_of(BlockRange read);
  uint64_t widest() const;
  uint64_t end_of_unread(const Sequence& of, BlockRange read) const;

  const uint64_t max_ahead_;
  uint64_t now_ = 0;
  std::vector<Sequence> sequences_;
};

// An object with blocks in the pool.
struct PooledObject {
  uint64_t id;  // from BlockPool::new_object()
  std::shared_ptr<RemoteObject> object;
  uint64_t size;
  DiskBlocksPtr disk;  // null: no blocks are kept on disk
  const bool
      is_store;  // a whole store, of which metadata are read in several places; not one of many objects
  // Guarded by the pool's mutex.
  ReadAhead ahead;
  uint64_t scattered_reads = 0;  // for which more was fetched than read
  bool is_rest_taken = false;

  uint64_t blocks() const { return (size + kBlockBytes - 1) / kBlockBytes; }
  uint64_t end_of(uint64_t block) const { return std::min(size, (block + 1) * kBlockBytes); }
};

// The blocks of the objects of one store that are in memory or in transit. They have a fixed share of the
// cache's budget and do not go through the cache: libhdf5 reads files under its lock, during which the cache
// must not be used (hdf5/library/library.h). Thread-safe.
class BlockPool {
 public:
  // cache: must outlive the pool. pools: the number of pools that use it.
  BlockPool(std::shared_ptr<HttpClient> client, ByteCache& cache, size_t pools = 1);
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  uint64_t new_object() { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  // Returns the largest number of blocks that are fetched ahead of a reader.
  uint64_t max_ahead() const { return max_coming_ / 2 / kBlockBytes; }

  // Reads out.size() bytes from `offset`. Throws what RangeFetch throws. Requires: they lie in the object.
  void read(PooledObject& of, uint64_t offset, std::span<std::byte> out);
  // Starts to fetch these blocks if there is room for them. The ranges are sorted.
  void fetch(PooledObject& of, const std::vector<BlockRange>& ranges);
  // Adds bytes that are already fetched, from the object's first byte on.
  void adopt(PooledObject& of, std::shared_ptr<RangeFetch> first);
  // Drops the blocks of an object when no reader needs it any more.
  void forget(const PooledObject& of);

 private:
  using Key = std::pair<uint64_t, uint64_t>;  // object, block
  using BlockPtr = std::shared_ptr<const Bytes>;
  // Fetches to start without the mutex: signing a request may require asking for keys.
  using Fetches = std::vector<std::shared_ptr<RangeFetch>>;
  struct PendingFetch;
  using PendingFetchPtr = std::shared_ptr<PendingFetch>;
  struct CachedBlock {
    BlockPtr block;
    std::list<Key>::iterator recency;
  };
  struct Place;

  PendingFetchPtr coming_of(Key key) const REQUIRES(mutex_);
  BlockPtr kept_of(Key key) REQUIRES(mutex_);
  void keep(Key key, ByteSpan bytes) REQUIRES(mutex_);
  void drop(const PendingFetchPtr& gone) REQUIRES(mutex_);
  void make_room(uint64_t wanted, uint64_t ahead) REQUIRES(mutex_);
  void ask_for(PooledObject& of, BlockRange range, Fetches& asked) REQUIRES(mutex_);
  Fetches ask_for_missing(PooledObject& of, const std::vector<BlockRange>& ranges) REQUIRES(mutex_);
  bool is_missing(const PooledObject& of, uint64_t block) const REQUIRES(mutex_);
  bool is_any_missing(const PooledObject& of, BlockRange range) const REQUIRES(mutex_);
  bool takes_rest(PooledObject& of) const REQUIRES(mutex_);
  BlockRange surroundings(PooledObject& of, BlockRange range) const REQUIRES(mutex_);
  std::vector<Place> plan(PooledObject& of, BlockRange range);
  void copy(PooledObject& of, const Place& place, uint64_t block, uint64_t offset, std::span<std::byte> out);
  bool copy_from_disk(const PooledObject& of, uint64_t block, uint64_t offset, std::span<std::byte> out);

  const std::shared_ptr<HttpClient> client_;  // the last file to be destroyed releases it
  const uint64_t share_;                      // bytes of the budget; kept and coming blocks get half each
  const uint64_t max_kept_, max_coming_;
  const ByteCache::Reservation room_;
  std::atomic<uint64_t> next_id_{1};  // atomic: guards nothing

  Mutex mutex_;
  std::map<Key, CachedBlock> kept_ GUARDED_BY(mutex_);
  std::list<Key> recent_ GUARDED_BY(mutex_);  // of kept_, most recently used first
  uint64_t kept_bytes_ GUARDED_BY(mutex_) = 0;
  std::map<Key, PendingFetchPtr> coming_ GUARDED_BY(mutex_);  // by the first block
  std::list<PendingFetchPtr> by_age_ GUARDED_BY(mutex_);      // of coming_, oldest first
  uint64_t coming_bytes_ GUARDED_BY(mutex_) = 0;
  uint64_t read_bytes_ GUARDED_BY(mutex_) = 0;  // of blocks that arrived and were read for the first time
};

}  // namespace plainfs::remote
