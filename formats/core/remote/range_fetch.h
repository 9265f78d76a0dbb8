// A range of an object on its way into memory. A reader that waits for its bytes sees them as they come,
// and drives it on where an attempt fails: with pauses that grow, from where it broke off, until it is whole
// or there is no more sense in trying.
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

// Thread-safe. Held by a shared_ptr.
class RangeFetch : public std::enable_shared_from_this<RangeFetch> {
 public:
  // range.size: how many bytes are wanted; an object that ends before has fewer. client: outlives this.
  RangeFetch(std::shared_ptr<RemoteObject> object, ByteRange range, HttpClient& client);
  ~RangeFetch();

  // Asks for it, unless keys are to be asked for first: then the reader that waits for it does. Returns at
  // once.
  void start();
  // Returns when the first size bytes of the range are there. Throws not_found where there is no such object,
  // changed where it is another version, unreadable where all attempts failed, and Cancelled where the
  // calling thread's request is cancelled.
  void wait(uint64_t size);
  // As wait, for whatever the object has of the range; how many bytes that are.
  uint64_t wait_for_all();

  ByteRange range() const { return range_; }
  // What was waited for of it stays as it is.
  const std::byte* bytes() const { return bytes_.data(); }
  // Whether nothing more will come by itself.
  bool is_done() const;
  bool is_whole() const;

 private:
  class Attempt;
  enum class Phase { not_begun, running, paused, whole, failed };

  void wait_until(uint64_t size);
  // These let go of the mutex for a while, and hold it again when they return or throw.
  void drive() REQUIRES(mutex_);
  void begin_attempt() REQUIRES(mutex_);
  void go_on_after(Verdict verdict) REQUIRES(mutex_);
  void end_attempt(const Attempt& attempt, const HttpFailure& failure);
  bool sleep(std::chrono::steady_clock::time_point until) REQUIRES(mutex_);

  const std::shared_ptr<RemoteObject> object_;
  const ByteRange range_;
  HttpClient& client_;
  Bytes bytes_;  // room for all of the range; from received_ on guarded by mutex_

  mutable Mutex mutex_;
  Condition moved_;
  uint64_t received_ GUARDED_BY(mutex_) = 0;
  uint64_t received_before_ GUARDED_BY(mutex_) = 0;  // when the last attempt but one ended
  uint64_t size_ GUARDED_BY(mutex_);                 // of the range, once the object's size is known
  Phase phase_ GUARDED_BY(mutex_) = Phase::not_begun;
  bool is_driven_ GUARDED_BY(mutex_) = false;  // a reader that waits sees to the next attempt
  std::shared_ptr<Attempt> attempt_ GUARDED_BY(mutex_);
  std::optional<Verdict> verdict_ GUARDED_BY(mutex_);  // paused: what the last attempt came to
  std::optional<Error> error_ GUARDED_BY(mutex_);      // failed
  unsigned tries_ GUARDED_BY(mutex_) = 0, redirects_ GUARDED_BY(mutex_) = 0, renewals_ GUARDED_BY(mutex_) = 0;
  std::chrono::steady_clock::duration silence_ GUARDED_BY(mutex_){};  // of all attempts, after what came last
  std::optional<std::chrono::steady_clock::time_point> failing_since_
      GUARDED_BY(mutex_);  // the first attempt, or the last that got on
};

}  // namespace plainfs::remote
