// A hit costs one shard's lock, one lookup in a tree ordered by owner, and a splice. Room is made before a
// value is inserted: the loader reserves bytes in the one counter and, while they do not fit, evicts the
// entry that has not been used for the longest time. Each shard publishes the time of its oldest entry, so
// finding it takes no lock. Time is the number of insertions so far. Hits only read it, which keeps its cache
// line shared.
#include "cache/byte_cache.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <list>
#include <map>
#include <stdexcept>
#include <thread>
#include <unordered_map>

#include "cache/mutex.h"
#include "cache/request.h"

namespace plainfs {

namespace {

constexpr size_t kShards = 16;
constexpr uint64_t kNothing = std::numeric_limits<uint64_t>::max();
// kEntryBytes: roughly what the list, the table and the allocator add to an entry. kMaxLostBetween: what is
// lost between entries of some kilobytes each, when values of other sizes replace evicted ones (44 MiB of 256
// in holes of 10,737 bytes after a pass over five billion nonzeros).
constexpr size_t kEntryBytes = 160, kMaxLostBetween = 4096;

// How often a thread that waits for another thread's load checks whether its own request is cancelled.
constexpr std::chrono::milliseconds kWaitStep{10};

size_t added_to(size_t bytes) {
  return kEntryBytes + std::min(bytes / 16, kMaxLostBetween);
}

struct KeyHash {
  size_t operator()(CacheKey key) const {
    uint64_t h = (key.owner * 0x9e3779b97f4a7c15u) ^ key.item;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 29);
  }
};

}  // namespace

// A load in progress. All fields are guarded by the mutex of the shard.
struct ByteCache::Pending {
  std::thread::id loader = std::this_thread::get_id();
  Condition ended;
  bool done = false;
  bool dropped = false;
  bool cancelled = false;  // the loader was cancelled; a waiter loads again
  std::shared_ptr<const void> value;
  std::exception_ptr error;
};

struct ByteCache::Shard {
  struct Entry {
    CacheKey key;
    std::shared_ptr<const void> value;
    size_t bytes;
    uint64_t last_used;
  };
  using Entries = std::list<Entry>;

  void publish_oldest() REQUIRES(mutex) {
    oldest.store(entries.empty() ? kNothing : entries.back().last_used, std::memory_order_relaxed);
  }

  // Returns the value and marks it as used now, or null.
  std::shared_ptr<const void> find_held(CacheKey key, uint64_t now) REQUIRES(mutex) {
    const auto found = held.find(key);
    if (found == held.end()) return nullptr;
    ++hits;
    const auto entry = found->second;
    entry->last_used = now;
    if (entry != entries.begin()) entries.splice(entries.begin(), entries, entry);
    publish_oldest();
    return entry->value;
  }

  Mutex mutex;
  Entries entries GUARDED_BY(mutex);  // most recently used first
  // Ordered, so that the entries of an owner are adjacent.
  std::map<CacheKey, Entries::iterator> held GUARDED_BY(mutex);
  std::unordered_map<CacheKey, std::shared_ptr<Pending>, KeyHash> loading GUARDED_BY(mutex);
  uint64_t hits GUARDED_BY(mutex) = 0;
  uint64_t misses GUARDED_BY(mutex) = 0;
  uint64_t evictions GUARDED_BY(mutex) = 0;
  std::atomic<uint64_t> oldest{kNothing};  // last_used of the last entry; a hint for evict_oldest, so no lock
};

ByteCache::ByteCache(size_t budget_bytes) : budget_bytes_(budget_bytes) {
  shards_.reserve(kShards);
  for (size_t i = 0; i < kShards; ++i) shards_.push_back(std::make_unique<Shard>());
}

ByteCache::~ByteCache() = default;

uint64_t ByteCache::new_owner() {
  return next_owner_.fetch_add(1, std::memory_order_relaxed);
}

ByteCache::Shard& ByteCache::shard_of(CacheKey key) {
  return *shards_[(KeyHash{}(key) >> 40) % kShards];
}

std::shared_ptr<const void> ByteCache::held_any(CacheKey key) {
  Shard& shard = shard_of(key);
  const MutexLock lock(shard.mutex);
  return shard.find_held(key, now_.load(std::memory_order_relaxed));
}

std::shared_ptr<const void> ByteCache::get_any(CacheKey key, const std::function<Loaded()>& load,
                                               bool waits) {
  Shard& shard = shard_of(key);
  MutexLock lock(shard.mutex);
  for (;;) {
    if (auto value = shard.find_held(key, now_.load(std::memory_order_relaxed))) return value;
    const auto loading = shard.loading.find(key);
    if (loading == shard.loading.end()) break;
    const std::shared_ptr<Pending> pending = loading->second;
    if (pending->loader == std::this_thread::get_id()) {
      throw std::logic_error("a cache load requests the value it is loading");
    }
    if (!waits) return nullptr;
    ++shard.hits;
    while (!pending->done) {
      pending->ended.wait_for(shard.mutex, kWaitStep);
      if (!pending->done) check_cancelled();
    }
    if (pending->cancelled) {
      --shard.hits;
      continue;
    }
    if (pending->error) std::rethrow_exception(pending->error);
    return pending->value;
  }
  ++shard.misses;
  const auto pending = std::make_shared<Pending>();
  shard.loading.emplace(key, pending);
  lock.unlock();
  return load_and_keep(key, shard, pending, load);
}

// Requires: this thread put `pending` into shard.loading.
std::shared_ptr<const void> ByteCache::load_and_keep(CacheKey key, Shard& shard,
                                                     const std::shared_ptr<Pending>& pending,
                                                     const std::function<Loaded()>& load) {
  Loaded loaded{nullptr, 0};
  bool reserved = false;
  bool cancelled = false;
  Shard::Entries entry;
  std::exception_ptr error;
  try {
    check_cancelled();
    loaded = load();
    loaded.bytes += added_to(loaded.bytes);
    entry.push_back({key, loaded.value, loaded.bytes, 0});
    reserved = reserve(loaded.bytes);
  } catch (const Cancelled&) {
    cancelled = true;
    error = std::current_exception();
  } catch (...) {
    error = std::current_exception();
  }

  const MutexLock lock(shard.mutex);
  if (reserved && !pending->dropped) {
    try {
      shard.held.emplace(key, entry.begin());
      entry.front().last_used = now_.fetch_add(1, std::memory_order_relaxed);
      shard.entries.splice(shard.entries.begin(), entry);
      shard.publish_oldest();
      reserved = false;
    } catch (const std::bad_alloc&) {
      // The value is returned but not kept.
    }
  }
  if (reserved) held_bytes_.fetch_sub(loaded.bytes, std::memory_order_relaxed);
  if (!pending->dropped) shard.loading.erase(key);
  pending->value = loaded.value;
  pending->error = error;
  pending->cancelled = cancelled;
  pending->done = true;
  pending->ended.notify_all();
  if (error) std::rethrow_exception(error);
  return std::move(loaded.value);
}

// Counts `bytes` as held, after evicting entries to make room. Returns false if they do not fit.
bool ByteCache::reserve(size_t bytes) {
  if (bytes > budget_bytes_) return false;
  uint64_t held = held_bytes_.load(std::memory_order_relaxed);
  for (;;) {
    if (held <= budget_bytes_ - bytes) {
      if (held_bytes_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed)) return true;
    } else {
      // Nothing to evict: other threads have reserved the room and not inserted yet.
      if (!evict_oldest()) return false;
      held = held_bytes_.load(std::memory_order_relaxed);
    }
  }
}

// Evicts the least recently used entry. Returns false if no shard has an entry.
bool ByteCache::evict_oldest() {
  for (;;) {
    Shard* victim = nullptr;
    uint64_t oldest = kNothing;
    for (const auto& shard : shards_) {
      const uint64_t time = shard->oldest.load(std::memory_order_relaxed);
      if (time < oldest) {
        oldest = time;
        victim = shard.get();
      }
    }
    if (!victim) return false;
    Shard::Entries evicted;  // freed after the lock
    const MutexLock lock(victim->mutex);
    if (victim->entries.empty()) continue;
    evicted.splice(evicted.begin(), victim->entries, std::prev(victim->entries.end()));
    victim->held.erase(evicted.front().key);
    victim->publish_oldest();
    ++victim->evictions;
    held_bytes_.fetch_sub(evicted.front().bytes, std::memory_order_relaxed);
    return true;
  }
}

void ByteCache::drop(uint64_t first_owner, uint64_t last_owner) {
  const auto concerned = [&](CacheKey key) { return key.owner >= first_owner && key.owner < last_owner; };
  for (const auto& shard : shards_) {
    Shard::Entries dropped;  // freed after the lock
    const MutexLock lock(shard->mutex);
    const auto first = shard->held.lower_bound({first_owner, 0});
    auto last = first;
    for (; last != shard->held.end() && concerned(last->first); ++last) {
      held_bytes_.fetch_sub(last->second->bytes, std::memory_order_relaxed);
      dropped.splice(dropped.end(), shard->entries, last->second);
    }
    shard->held.erase(first, last);
    std::erase_if(shard->loading, [&](const auto& loading) {
      if (!concerned(loading.first)) return false;
      loading.second->dropped = true;
      return true;
    });
    shard->publish_oldest();
  }
}

void ByteCache::forget(CacheKey key) {
  Shard& shard = shard_of(key);
  Shard::Entries forgotten;  // freed after the lock
  const MutexLock lock(shard.mutex);
  if (const auto loading = shard.loading.find(key); loading != shard.loading.end()) {
    loading->second->dropped = true;
    shard.loading.erase(loading);
  }
  const auto held = shard.held.find(key);
  if (held == shard.held.end()) return;
  held_bytes_.fetch_sub(held->second->bytes, std::memory_order_relaxed);
  forgotten.splice(forgotten.begin(), shard.entries, held->second);
  shard.held.erase(held);
  shard.publish_oldest();
}

CacheStatistics ByteCache::statistics() const {
  CacheStatistics sum;
  for (const auto& shard : shards_) {
    const MutexLock lock(shard->mutex);
    sum.hits += shard->hits;
    sum.misses += shard->misses;
    sum.evictions += shard->evictions;
  }
  sum.held_bytes = held_bytes_.load(std::memory_order_relaxed);
  sum.budget_bytes = budget_bytes_;
  return sum;
}

}  // namespace plainfs
