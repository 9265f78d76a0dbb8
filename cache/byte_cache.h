// One budget of bytes for everything that is decoded or formatted, shared by all arrays and views of a mount.
//
// Entries are immutable and shared: one that is evicted while it is read lives until its reader lets
// go. Recency is kept per shard (a shard is chosen by the key), the byte count is one for all, so that a
// single large chunk may use the whole budget; a new value that does not fit first pushes out the oldest
// entries, whichever shard has them. What is held is never over the budget. Concurrent misses on one key run
// one load; its result, or its exception, reaches every waiter, and an exception is not remembered. Where the
// one who loads is cancelled (cache/request.h), the next of those who wait loads instead. A value larger than
// the whole budget is handed out but not kept.
//
// A load may call get() for another key as long as such nesting has an order (text -> chunk -> shard index);
// one that asks for its own key gets std::logic_error instead of waiting for itself.
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
  uint64_t hits = 0;    // answered without a load of one's own, waiters included
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

  // The value of key, from load() (which returns a T) where it is not held. T has `size_t allocated_bytes()
  // const`. Throws what load throws.
  template <class T, class Load>
  std::shared_ptr<const T> get(CacheKey key, Load&& load) {
    return get_with<T>(key, load, true);
  }

  // The same, but null where another thread is loading the value: there may be something else to do
  // meanwhile.
  template <class T, class Load>
  std::shared_ptr<const T> get_unless_loading(CacheKey key, Load&& load) {
    return get_with<T>(key, load, false);
  }

  // The value of key where it is held, else null.
  template <class T>
  std::shared_ptr<const T> held(CacheKey key) {
    return std::static_pointer_cast<const T>(held_any(key));
  }

  // Bytes that count as held until the Reservation goes: for what is put together outside of the cache and is
  // as large as a good part of it. Takes out what is in their way.
  class Reservation {
   public:
    Reservation(ByteCache& cache, size_t bytes) : cache_(cache), bytes_(cache.reserve(bytes) ? bytes : 0) {}
    ~Reservation() { cache_.held_bytes_.fetch_sub(bytes_, std::memory_order_relaxed); }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

   private:
    ByteCache& cache_;
    const size_t bytes_;  // 0 where it has not that many
  };

  // Drops every value of the owners in [first, last), for instance when a store is reopened. A load of theirs
  // that is under way reaches its waiters but is not kept. Costs what is dropped, not what is held: a view
  // that ends drops its own values, and there are thousands of views.
  void drop(uint64_t first_owner, uint64_t last_owner);

  // Drops one value, which is not likely to be wanted again.
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
  std::atomic<uint64_t> now_{1};         // counts insertions; entries remember it as their time of last use
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace plainfs
