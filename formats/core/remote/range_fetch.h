// The transfer of a range of an object into memory. A waiting reader sees the bytes as they arrive. It also
// repeats failed attempts: with growing pauses, from the byte at which the transfer broke off, until the
// range is complete or further attempts are pointless.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cache/mutex.h"
#include "formats/core/base/bytes.h"
#include "formats/core/remote/http_client.h"
#include "formats/core/remote/remote_object.h"

namespace plainfs::remote {

// A range in transit. Thread-safe. Must be owned by a shared_ptr.
class RangeFetch : public std::enable_shared_from_this<RangeFetch> {
 public:
  // range.size: the number of bytes wanted; fewer if the object ends before. client: must outlive this
  // object.
  RangeFetch(std::shared_ptr<RemoteObject> object, ByteRange range, HttpClient& client);
  ~RangeFetch();

  // Starts the request, unless keys must be obtained first; then the reader that waits does that. Returns at
  // once.
  void start();
  // Waits for the first `size` bytes of the range. Throws not_found if the object does not exist, changed if
  // it has another version, unreadable if all attempts failed, and Cancelled if the calling thread's request
  // is cancelled.
  void wait(uint64_t size);
  // Waits like wait() for all bytes that the object has of the range. Returns their number.
  uint64_t wait_for_all();

  ByteRange range() const { return range_; }
  // Returns the bytes of the range. Bytes for which wait() has returned do not change.
  const std::byte* bytes() const { return bytes_.data(); }
  // Returns whether no more bytes will arrive without a further attempt.
  bool is_done() const;

 private:
  class Attempt;
  enum class Phase { not_begun, running, paused, whole, failed };

  void wait_until(uint64_t size);
  // These functions release the mutex for a while and hold it again when they return or throw.
  void drive() REQUIRES(mutex_);
  void begin_attempt() REQUIRES(mutex_);
  void go_on_after(Verdict verdict) REQUIRES(mutex_);
  void end_attempt(const Attempt& attempt, const HttpFailure& failure);
  bool sleep(std::chrono::steady_clock::time_point until) REQUIRES(mutex_);

  const std::shared_ptr<RemoteObject> object_;
  const ByteRange range_;
  HttpClient& client_;
  Bytes bytes_;  // has room for the whole range; guarded by mutex_ from received_ on

  mutable Mutex mutex_;
  Condition moved_;
  uint64_t received_ GUARDED_BY(mutex_) = 0;
  uint64_t received_before_ GUARDED_BY(mutex_) = 0;  // at the end of the attempt before the last
  uint64_t size_ GUARDED_BY(mutex_);                 // of the range, once the object's size is known
  Phase phase_ GUARDED_BY(mutex_) = Phase::not_begun;
  bool is_driven_ GUARDED_BY(mutex_) = false;  // a waiting reader starts the next attempt
  std::shared_ptr<Attempt> attempt_ GUARDED_BY(mutex_);
  std::optional<Verdict> verdict_ GUARDED_BY(mutex_);  // if paused: the result of the last attempt
  std::optional<Error> error_ GUARDED_BY(mutex_);      // if failed
  unsigned tries_ GUARDED_BY(mutex_) = 0, redirects_ GUARDED_BY(mutex_) = 0, renewals_ GUARDED_BY(mutex_) = 0;
  // The total time of all attempts after their last byte.
  std::chrono::steady_clock::duration silence_ GUARDED_BY(mutex_){};
  std::optional<std::chrono::steady_clock::time_point> failing_since_
      GUARDED_BY(mutex_);  // the first attempt, or the last one with progress
};

}  // namespace plainfs::remote
