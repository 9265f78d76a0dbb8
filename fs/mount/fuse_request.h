// A question of the kernel's as a Request: cancelled when the process that asked is being ended, or the
// mount.
#pragma once

#include <atomic>
#include <cstdint>

#include "cache/request.h"

struct fuse_req;

namespace plainfs {

class FuseMount;

// Whether the process that waits for the answer is on its way out: it was killed, or told to end, or has
// stopped waiting. That it is sent other signals which it handles (a timer's, a profiler's) is none of our
// business: few programs expect to be told so by stat() or read(). Requires: request is not answered yet.
bool is_abandoned(fuse_req* request) noexcept;

// Lives no longer than request is unanswered, or is asked nothing after that.
class FuseRequest : public Request {
 public:
  FuseRequest(fuse_req* request, const FuseMount& mount);
  // Looks at the request once a tick of the clock, some milliseconds.
  bool cancelled() const override;

 private:
  fuse_req* const request_;
  const FuseMount& mount_;
  // Relaxed both: threads that help may look at the same time and find the same.
  mutable std::atomic<int64_t> looked_at_;
  mutable std::atomic<bool> is_abandoned_{false};
};

}  // namespace plainfs
