// Sizes that take a pass over a file's content, while they are being computed. Each is one job, however
// many ask for it; it survives askers that leave, and ends when the last has left. A job is done by
// the thread of one of its askers, and no more than so many threads are at it: beyond that an asker returns
// at once and is answered by a thread that is, when its turn comes. Jobs that others wait behind take turns,
// so that a pass of hours holds up none of seconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "cache/mutex.h"
#include "cache/request.h"
#include "fs/tree/tree.h"

namespace plainfs {

// Thread-safe.
class Sizings {
 public:
  // One that waits for a size.
  class Asker {
   public:
    virtual ~Asker() = default;
    // Whether he no longer waits. Asked every now and then from any thread.
    virtual bool has_left() noexcept = 0;
    // Called once, from any thread: error is null where the size is known now; Cancelled where he has left or
    // all is over; else what sizing the file threw.
    virtual void answer(std::exception_ptr error) noexcept = 0;
  };
  using AskerPtr = std::shared_ptr<Asker>;

  // size: does the pass, and goes on where it was when it is called again after it has thrown Cancelled.
  // is_over: whether everybody has left; cheap.
  Sizings(size_t most_at_work, std::function<void(Inode file)> size, std::function<bool()> is_over);
  // Answers those who still wait. Requires: no ask() is under way.
  ~Sizings();
  Sizings(const Sizings&) = delete;
  Sizings& operator=(const Sizings&) = delete;

  // Returns when this thread has nothing more to do, which may be before asker is answered. Throws bad_alloc
  // where there is no memory to ask; asker is not answered then.
  void ask(Inode file, AskerPtr asker);

 private:
  // One file being sized. What is no atomic is guarded by mutex_; the atomics are asked for every piece of
  // work.
  struct Job : Request {
    Job(Sizings& of, Inode of_file) : sizings(of), file(of_file) {}
    bool cancelled() const override;

    Sizings& sizings;
    const Inode file;
    std::vector<AskerPtr> askers;
    std::atomic<bool> is_wanted{true};  // there are askers
    std::atomic<int64_t> turn_ends{0};  // nanoseconds of the steady clock
    int64_t turn = 100'000'000;         // nanoseconds; each is twice as long as the one before
  };
  using JobPtr = std::shared_ptr<Job>;
  // Moved from list to list, for which no memory is wanted: what was asked is answered however little there
  // is.
  using Jobs = std::list<JobPtr>;

  void work(Jobs one);
  Jobs next_job() REQUIRES(mutex_);
  void look_for_leavers();

  const size_t most_at_work_;
  const std::function<void(Inode)> size_;
  const std::function<bool()> is_over_;
  Mutex mutex_;
  std::unordered_map<Inode, JobPtr> jobs_ GUARDED_BY(mutex_);
  Jobs queue_ GUARDED_BY(mutex_);  // those that no thread is at, the next one first
  size_t at_work_ GUARDED_BY(mutex_) = 0;
  std::atomic<size_t> queued_{0};      // length of queue_; asked for every piece of work
  std::atomic<int64_t> next_look_{0};  // nanoseconds of the steady clock; the thread that moves it on looks
};

}  // namespace plainfs
