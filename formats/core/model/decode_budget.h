// Limits the memory that decoding takes besides the cache: stored bytes, data between two codecs, and the
// resulting chunk. With sixteen threads and chunks of a few MB it would otherwise exceed the cache itself.
// Waiting threads are served in turn, so that small chunks cannot delay a large one for ever.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cache/mutex.h"

namespace plainfs {

class DecodeBudget {
 public:
  explicit DecodeBudget(size_t max_bytes = size_t{16} << 20) : max_bytes_(max_bytes) {}
  DecodeBudget(const DecodeBudget&) = delete;
  DecodeBudget& operator=(const DecodeBudget&) = delete;

  class Part {
   public:
    Part(DecodeBudget& room, size_t bytes) : room_(room), bytes_(bytes) {}
    ~Part() { room_.leave(bytes_); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

   private:
    DecodeBudget& room_;
    const size_t bytes_;
  };

  // Waits until `bytes` more fit, or no thread holds any. The holder of a part must not wait for another
  // part, nor for a thread that may do so: only for files, codecs, and locks that are released without a
  // part.
  [[nodiscard]] Part take(size_t bytes);

 private:
  void leave(size_t bytes);
  bool has_room_for(size_t bytes) const REQUIRES(mutex_);

  const size_t max_bytes_;
  Mutex mutex_;
  Condition changed_;
  uint64_t next_turn_ GUARDED_BY(mutex_) = 0;
  uint64_t turn_ GUARDED_BY(mutex_) = 0;
  size_t taken_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace plainfs
