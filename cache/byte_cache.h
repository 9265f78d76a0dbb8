// One budget of bytes for everything that is decoded or formatted, shared by all arrays and views of a mount.
//
// Entries are immutable and shared: an entry that is evicted while it is read lives until its reader releases
// it. Recency is kept per shard, and the key selects the shard. The byte count is global, so that a single
// large chunk may use the whole budget. A new value that does not fit first evicts the oldest entries of any
// shard. Held bytes never exceed the budget. A value larger than the whole budget is returned but not kept.
//
// Concurrent misses on one key run one load. Its result or its exception reaches every waiter. An exception
// is not cached. If the loading request is cancelled (cache/request.h), the next waiter loads instead.
//
// A load may call get() for another key if such nesting has an order (text -> chunk -> shard index). A load
// that asks for its own key gets std::logic_error instead of waiting for itself.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace plainfs {

struct CacheKey {
  uint64_t owner;  // from ByteCache::new_owner(); all values of one owner have one type
  uint64_t item;
  auto operator<=>(const CacheKey&) const = default;
};

struct CacheStatistics {
  uint64_t hits = 0;    // lookups answered without a load of their own, waiters included
  uint64_t misses = 0;  // loads
  uint64_t evictions = 0;
  uint64_t held_bytes = 0;
  uint64_t budget_bytes = 0;
};

class ByteCache {
 public:
  explicit ByteCache(size_t budget_bytes);
  ~ByteCache();
  ByteCache(const ByteCache&) = delete;
  ByteCache& operator=(const ByteCache&) = delete;

  uint64_t new_owner();

  // Returns the value of `key`, from load() (which returns a T) if it is not held. T has `size_t
  // allocated_bytes() const`. Throws what load throws.
  template <class T, class Load>
  std::shared_ptr<const T> get(CacheKey key, Load&& load) {
    return get_with<T>(key, load, true);
  }

  // Returns the value like get(), but null if another thread is loading it, so that the caller can do other
  // work meanwhile.
  template <class T, class Load>
  std::shared_ptr<const T> get_unless_loading(CacheKey key, Load&& load) {
    return get_with<T>(key, load, false);
  }

  // Returns the value of `key` if it is held, else null.
  template <class T>
  std::shared_ptr<const T> held(CacheKey key) {
    return std::static_pointer_cast<const T>(held_any(key));
  }

  // Bytes that count as held until the Reservation ends. For data that are assembled outside of the cache and
  // are as large as a good part of it. Evicts entries to make room.
  class Reservation {
   public:
    Reservation(ByteCache& cache, size_t bytes) : cache_(cache), bytes_(cache.reserve(bytes) ? bytes : 0) {}
    ~Reservation() { cache_.held_bytes_.fetch_sub(bytes_, std::memory_order_relaxed); }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

   private:
    ByteCache& cache_;
    const size_t bytes_;  // 0 if the budget has no room
  };

  // Drops every value of the owners in [first_owner, last_owner), for instance when a store is reopened. A
  // load of theirs that is under way reaches its waiters but is not kept. The cost depends on what is
  // dropped, not on what is held: a view that ends drops its own values, and there are thousands of views.
  void drop(uint64_t first_owner, uint64_t last_owner);

  // Drops the value of `key`, which is unlikely to be needed again.
  void forget(CacheKey key);

  CacheStatistics statistics() const;

 private:
  struct Loaded {
    std::shared_ptr<const void> value;
    size_t bytes;
  };
  struct Pending;
  struct Shard;
  template <class T, class Load>
  std::shared_ptr<const T> get_with(CacheKey key, Load& load, bool waits) {
    const auto loaded = [&load]() -> Loaded {
      auto value = std::make_shared<const T>(load());
      const size_t bytes = value->allocated_bytes() + sizeof(T);
      return {std::move(value), bytes};
    };
    return std::static_pointer_cast<const T>(get_any(key, loaded, waits));
  }
  std::shared_ptr<const void> get_any(CacheKey key, const std::function<Loaded()>& load, bool waits);
  std::shared_ptr<const void> load_and_keep(CacheKey key, Shard& shard,
                                            const std::shared_ptr<Pending>& pending,
                                            const std::function<Loaded()>& load);
  std::shared_ptr<const void> held_any(CacheKey key);
  Shard& shard_of(CacheKey key);
  bool reserve(size_t bytes);
  bool evict_oldest();

  const size_t budget_bytes_;
  std::atomic<uint64_t> next_owner_{1};
  std::atomic<uint64_t> held_bytes_{0};  // atomic: room is reserved without any shard's lock
  std::atomic<uint64_t> now_{1};         // counts insertions; entries record it as their time of last use
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace plainfs
