// Which blocks of a file are read next, told from those that were: a few sequences are followed at once (the
// data and the indices of a sparse matrix are read side by side).
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

inline constexpr uint64_t kBlockBytes = 64 << 10;  // of a file, but its last one

struct BlockRange {
  uint64_t first;
  uint64_t end;
  bool operator==(const BlockRange&) const = default;
};

// For one thread at a time.
class ReadAhead {
 public:
  // most_ahead: blocks, at least 1.
  explicit ReadAhead(uint64_t most_ahead) : most_ahead_(most_ahead) {}

  // These blocks are read now; those to be fetched ahead, none where first == end. They may begin before the
  // end of what was named before, never of what was read.
  BlockRange after(BlockRange read);

 private:
  struct Sequence {
    uint64_t start;   // the block that it began with
    uint64_t at;      // the block that comes next
    uint64_t asked;   // the first that was not named yet
    uint64_t window;  // blocks
    uint64_t used;    // time of the last read
  };
  Sequence* sequence_of(BlockRange read);
  uint64_t widest() const;
  uint64_t end_of_unread(const Sequence& of, BlockRange read) const;

  const uint64_t most_ahead_;
  uint64_t now_ = 0;
  std::vector<Sequence> sequences_;
};

// The blocks of the objects of one store that are in memory or on their way. They have a share of the cache's
// budget for good, and do not go through the cache: libhdf5 reads files under its lock, where nothing may ask
// the cache for anything (hdf5/library/library.h).

// An object whose blocks are read.
struct PooledObject {
  uint64_t id;  // of BlockPool::new_object()
  std::shared_ptr<RemoteObject> object;
  uint64_t size;
  DiskBlocksPtr disk;  // null: none are kept
  ReadAhead ahead;     // guarded by the pool's mutex

  uint64_t blocks() const { return (size + kBlockBytes - 1) / kBlockBytes; }
  uint64_t end_of(uint64_t block) const { return std::min(size, (block + 1) * kBlockBytes); }
};

// Thread-safe.
class BlockPool {
 public:
  // cache: outlives it.
  BlockPool(std::shared_ptr<HttpClient> client, ByteCache& cache);
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  uint64_t new_object() { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  // How many blocks are fetched ahead of a reader at most.
  uint64_t most_ahead() const { return most_coming_ / 2 / kBlockBytes; }

  // Bytes from offset on. Throws what RangeFetch does. Requires: they lie in the object.
  void read(PooledObject& of, uint64_t offset, std::span<std::byte> out);
  // Starts to fetch these blocks, which are in order, where there is room for them.
  void fetch(PooledObject& of, const std::vector<BlockRange>& ranges);
  // What is fetched already, from the object's first byte on.
  void adopt(PooledObject& of, std::shared_ptr<RangeFetch> first);
  // It is not read any more.
  void forget(const PooledObject& of);

 private:
  using Key = std::pair<uint64_t, uint64_t>;  // object, block
  using BlockPtr = std::shared_ptr<const Bytes>;
  // That are to be started without the mutex: what signs a request may have to ask for keys.
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
  std::vector<Place> plan(PooledObject& of, BlockRange range);
  void copy(PooledObject& of, const Place& place, uint64_t block, uint64_t offset, std::span<std::byte> out);
  bool copy_from_disk(const PooledObject& of, uint64_t block, uint64_t offset, std::span<std::byte> out);

  const std::shared_ptr<HttpClient> client_;  // the last file that is held lets go of it
  const uint64_t share_;                      // bytes of the budget, half of it for each of the two
  const uint64_t most_kept_, most_coming_;
  const ByteCache::Reservation room_;
  std::atomic<uint64_t> next_id_{1};  // atomic: it guards nothing

  Mutex mutex_;
  std::map<Key, CachedBlock> kept_ GUARDED_BY(mutex_);
  std::list<Key> recent_ GUARDED_BY(mutex_);  // of kept_, the latest used first
  uint64_t kept_bytes_ GUARDED_BY(mutex_) = 0;
  std::map<Key, PendingFetchPtr> coming_ GUARDED_BY(mutex_);  // by the first block
  std::list<PendingFetchPtr> by_age_ GUARDED_BY(mutex_);      // of coming_, the oldest first
  uint64_t coming_bytes_ GUARDED_BY(mutex_) = 0;
  uint64_t read_bytes_ GUARDED_BY(mutex_) = 0;  // of blocks that came and were read for the first time
};

}  // namespace plainfs::remote
