// Requests, which report whether a result is still wanted. A request is set for a thread (Request::Scope) at
// the point of entry: a call of FUSE, or a pass that several callers share. It follows the work without being
// passed as an argument. Workers carry it to the threads that help and check it before each piece. The cache
// checks it before each load. Work for a client that has gone therefore ends within one chunk or block in any
// format, and no array or codec has to know about it.
#pragma once

namespace plainfs {

class Request {
 public:
  virtual ~Request() = default;
  // Returns whether the request was cancelled. Cheap and thread-safe: it is called for every piece of work.
  virtual bool cancelled() const = 0;
  // Returns whether the request has no urgency. Other threads then do not help, and a pass is left to a
  // request that waits for it.
  virtual bool is_patient() const { return false; }

  // Returns the request that the calling thread works for, or null.
  static const Request* current();

  // A scope in which the calling thread works for `request`; null for no request.
  class Scope {
   public:
    explicit Scope(const Request* request);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const Request* const before_;
  };
};

// An exception that ends work when its result is no longer needed. It is neither a std::exception nor an
// Error: it describes nothing about the data, and must not be kept or reported as an error.
struct Cancelled {};

// Throws Cancelled if the calling thread's request is cancelled.
void check_cancelled();

}  // namespace plainfs
