// Pieces that all workers produce at the same time and one thread at a time consumes in order, for example
// data that are compressed piece by piece and written one after the other.
//
// Each thread makes the next piece that no thread has begun, and stores it. If that piece is the next in
// order, the thread uses it and all finished pieces behind it, while the other threads make more. A thread
// that is too far ahead waits, so that few pieces are in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "cache/mutex.h"
#include "cache/request.h"
#include "cache/workers.h"

namespace plainfs {

template <class Piece>
class InOrder {
 public:
  using Make = std::function<Piece(size_t number)>;
  using Use = std::function<void(size_t number, Piece piece)>;

  // Calls use with the result of make for each number in [0, count): make on any thread and concurrently, use
  // one call at a time and in order. Throws the first exception of either. The pieces behind it are not used.
  static void run(Workers& workers, size_t count, const Make& make, const Use& use) {
    InOrder order(workers.threads() + 1, make, use);
    workers.parallel_for(count, [&](size_t number) { order.work(number); });
  }

 private:
  static constexpr size_t kPiecesAThread = 2;
  static constexpr std::chrono::milliseconds kLookAgain{20};

  InOrder(size_t threads, const Make& make, const Use& use)
      : make_(make), use_(use), generated_(kPiecesAThread * threads) {}

  void work(size_t number) {
    if (!wait_for_room(number)) return;
    try {
      Piece piece = make_(number);
      const MutexLock lock(mutex_);
      generated_[number % generated_.size()].emplace(std::move(piece));
      if (!is_in_use_) use_present();
    } catch (...) {
      const MutexLock lock(mutex_);
      has_failed_ = true;
      changed_.notify_all();
      throw;
    }
  }

  // Returns false if another piece has failed, because this one is then not needed. Checks the request on its
  // own: a cancelled request may skip the very piece that others wait for.
  bool wait_for_room(size_t number) {
    const MutexLock lock(mutex_);
    while (number >= next_ + generated_.size() && !has_failed_) {
      check_cancelled();
      changed_.wait_for(mutex_, kLookAgain);
    }
    return !has_failed_;
  }

  void use_present() REQUIRES(mutex_) {
    is_in_use_ = true;
    for (;;) {
      std::optional<Piece>& place = generated_[next_ % generated_.size()];
      if (!place || has_failed_) break;
      use_next(std::move(*std::exchange(place, std::nullopt)));
      ++next_;
      changed_.notify_all();
    }
    is_in_use_ = false;
  }

  void use_next(Piece piece) REQUIRES(mutex_) {
    const size_t number = next_;
    const MutexUnlocked unlocked(mutex_);
    use_(number, std::move(piece));
  }

  const Make& make_;
  const Use& use_;
  Mutex mutex_;
  Condition changed_;
  // Indexed by number modulo its size, which limits how far ahead threads may be.
  std::vector<std::optional<Piece>> generated_ GUARDED_BY(mutex_);
  size_t next_ GUARDED_BY(mutex_) = 0;  // the first piece that is not used
  bool is_in_use_ GUARDED_BY(mutex_) = false;
  bool has_failed_ GUARDED_BY(mutex_) = false;
};

}  // namespace plainfs
