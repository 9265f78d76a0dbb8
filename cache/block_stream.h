// A file that is generated in blocks. A block is generated when a reader asks for it and kept in the cache.
// When reads are sequential, the workers generate the blocks ahead, so that one reader keeps all cores busy.
// Blocks far behind the reader are released: their memory is reused while it is still in the processor's
// caches, and the rest of the cache is left to data that are read twice.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "cache/byte_cache.h"
#include "cache/workers.h"

namespace plainfs {

// The position of a reader, guessed from its reads so far. Thread-safe and lock-free: if several readers
// disturb each other's guess, that costs time only.
class ReadingPlace {
 public:
  struct Range {
    uint64_t begin = 0, end = 0;
  };
  struct Plan {
    Range ahead;   // to be generated
    Range behind;  // to be released
  };

  // max_ahead: the largest number of blocks to generate before they are read. The kernel asks for several
  // parts at once, which arrive in any order. A read within a few times max_ahead therefore still counts as
  // sequential once the reader has come that far.
  // cheap: the number of blocks at the beginning that cost nothing to generate.
  explicit ReadingPlace(uint64_t max_ahead, uint64_t cheap = 0)
      : max_ahead_(max_ahead), cheap_(cheap), window_(4 * std::max<uint64_t>(max_ahead, 1)) {}

  // Returns whether `block` has been released. No reader waits for it any more.
  bool has_passed(uint64_t block) const { return block < behind_end_.load(std::memory_order_relaxed); }

  // Returns whether the latest read followed the one before it. True before the first read.
  bool is_sequential() const { return is_sequential_.load(std::memory_order_relaxed); }

  // Records that blocks [first, last) of `count` are read now. Returns which blocks to generate and which to
  // release.
  Plan advance(uint64_t first, uint64_t last, uint64_t count) {
    uint64_t place = place_.load(std::memory_order_relaxed);
    const uint64_t start = start_.load(std::memory_order_relaxed);
    const uint64_t reach = std::min(window_, (place - std::min(place, start)) / 2);
    if (first > place + reach || first + reach < place) {
      start_.store(first, std::memory_order_relaxed);
      place_.store(last, std::memory_order_relaxed);
      ahead_end_.store(last, std::memory_order_relaxed);
      behind_end_.store(first, std::memory_order_relaxed);
      is_sequential_.store(false, std::memory_order_relaxed);
      return {};
    }
    is_sequential_.store(true, std::memory_order_relaxed);
    if (last <= place) return {};
    while (place < last && !place_.compare_exchange_weak(place, last, std::memory_order_relaxed)) {
    }
    Plan plan;
    // Twice as many as were read, so that reading a header or one tile costs little more. The workers take
    // all of the reader's own blocks but the first that costs something, which ends with its reader.
    const uint64_t ahead = std::min(max_ahead_, 2 * (last - std::min(last, start)));
    plan.ahead = claim(ahead_end_, std::min(count, last + ahead));
    plan.ahead.begin = std::max(plan.ahead.begin, std::max(first, cheap_) + 1);
    plan.behind = claim(behind_end_, last > window_ ? last - window_ : 0);
    return plan;
  }

 private:
  static Range claim(std::atomic<uint64_t>& claimed, uint64_t end) {
    uint64_t begin = claimed.load(std::memory_order_relaxed);
    if (begin >= end || !claimed.compare_exchange_strong(begin, end, std::memory_order_relaxed)) return {};
    return {begin, end};
  }

  const uint64_t max_ahead_;
  const uint64_t cheap_;
  const uint64_t window_;
  std::atomic<uint64_t> start_{0};  // where the reader began
  std::atomic<uint64_t> place_{0};  // one past the farthest block read
  std::atomic<uint64_t> ahead_end_{0};
  std::atomic<uint64_t> behind_end_{0};
  std::atomic<bool> is_sequential_{true};
};

// A stream of blocks in the cache. Block has `size_t allocated_bytes() const`. A stream must be owned by a
// shared_ptr: jobs of the workers may outlast the file.
template <class Block>
class BlockStream : public std::enable_shared_from_this<BlockStream<Block>> {
 public:
  BlockStream(ByteCache& cache, Workers& workers, uint64_t max_ahead, uint64_t cheap = 0)
      : cache_(cache), workers_(workers), owner_(cache.new_owner()), place_(max_ahead, cheap) {}
  virtual ~BlockStream() { cache_.drop(owner_, owner_ + 1); }
  BlockStream(const BlockStream&) = delete;
  BlockStream& operator=(const BlockStream&) = delete;

  // Returns block `number`, generated if the cache does not hold it. Throws what make() throws.
  std::shared_ptr<const Block> block(uint64_t number) const {
    return cache_.get<Block>({owner_, number}, [&] { return make(number); });
  }

  // Plans read-ahead. Call it before reading blocks [first, last) of `count`.
  void follow(uint64_t first, uint64_t last, uint64_t count) {
    const ReadingPlace::Plan plan = place_.advance(first, last, count);
    for (uint64_t i = plan.behind.begin; i < plan.behind.end; ++i) cache_.forget({owner_, i});
    if (plan.behind.begin < plan.behind.end) release(plan.behind.begin, plan.behind.end);
    for (uint64_t i = plan.ahead.begin; i < plan.ahead.end; i += kBlocksInJob)
      workers_.try_later([self = this->shared_from_this(), first_ahead = i,
                          end = std::min(i + kBlocksInJob, plan.ahead.end)] {
        for (uint64_t block = first_ahead; block < end; ++block)
          if (!self->place_.has_passed(block)) self->block(block);
      });
  }

  // Returns whether the latest follow() continued the one before it.
  bool is_sequential() const { return place_.is_sequential(); }

 protected:
  virtual Block make(uint64_t number) const = 0;
  // Stores a block that was generated ahead of any reader.
  void keep(uint64_t number, Block block) const {
    cache_.get<Block>({owner_, number}, [&] { return std::move(block); });
  }
  // Returns the block if the cache holds it, and marks it as recently used; else null.
  std::shared_ptr<const Block> held(uint64_t number) const { return cache_.held<Block>({owner_, number}); }
  // Releases all blocks, because their numbers will stand for other blocks.
  void forget_all() const { cache_.drop(owner_, owner_ + 1); }
  // Reports that a sequential reader has left blocks [first, last) behind.
  virtual void release(uint64_t, uint64_t) const {}

 private:
  static constexpr uint64_t kBlocksInJob = 4;

  ByteCache& cache_;
  Workers& workers_;
  const uint64_t owner_;
  ReadingPlace place_;
};

}  // namespace plainfs
