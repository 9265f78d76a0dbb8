// Whether what is being done is still waited for. A request is begun for a thread (Request::Scope) where
// a question comes in: a call of FUSE, a pass that several askers share. It goes wherever the work goes
// without being handed on: Workers carry it to the threads that help, and look at it before each piece; the
// cache looks before each load. So work whose asker has gone ends within one chunk or block,
// whichever format that is in, and no array or codec need know of it.
#pragma once

namespace plainfs {

class Request {
 public:
  virtual ~Request() = default;
  // Cheap, and from any thread: it is asked for every piece of work.
  virtual bool cancelled() const = 0;
  // Whether there is no hurry: then no other thread helps, and a pass is left to a request that waits for it.
  virtual bool is_patient() const { return false; }

  // What the calling thread works for; null: no request in particular.
  static const Request* current();

  // The calling thread works for request until the scope ends; null: for none.
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

// Thrown where work ends because it is not waited for any more. Neither a std::exception nor an Error: it
// says nothing about what was being read, and must not be kept or reported as an error.
struct Cancelled {};

// Throws Cancelled where the calling thread's request is cancelled.
void check_cancelled();

}  // namespace plainfs
