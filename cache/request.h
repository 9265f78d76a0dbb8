// Whether anybody still waits for what is being done. A request is begun for a thread (Request::Scope) where
// a question comes in: a call of FUSE, a pass that several askers share. It goes wherever the work goes
// without being handed on: Workers carry it to the threads that help, and look at it before each piece; the
// cache looks before each load. So a question that nobody asks any more ends within one chunk or block,
// whichever format that is in, and no array or codec need know of it.
#pragma once

namespace plainfs {

class Request {
 public:
  virtual ~Request() = default;
  // Cheap, and from any thread: it is asked for every piece of work.
  virtual bool cancelled() const = 0;
  // Whether whoever asks has all the time there is: then no other thread helps, and it leaves a pass to
  // anybody who waits for it.
  virtual bool is_patient() const { return false; }

  // What the calling thread works for; null: nobody in particular.
  static const Request* current();

  // The calling thread works for request until the scope ends; null: for nobody.
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

// Thrown where work ends because nobody waits for it. No std::exception and no Error: it says nothing about
// what was being read, and whoever keeps or reports errors must not take it for one.
struct Cancelled {};

// Throws Cancelled where the calling thread's request is cancelled.
void check_cancelled();

}  // namespace plainfs
