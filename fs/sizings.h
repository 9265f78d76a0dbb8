// Sizings in progress: sizes of files that require a pass over the content. Each is one job, however many
// requesters wait for it. A job survives requesters that leave, and ends when the last one has left. The
// thread of one requester does the work, and at most a given number of threads work at once. A requester
// beyond that number returns at once; a working thread answers it when its turn comes. If other jobs are
// queued, jobs take turns, so that a pass of hours does not delay passes of seconds.
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

// Computes file sizes for concurrent askers. Thread-safe.
class Sizings {
 public:
  // A client that waits for a size.
  class Asker {
   public:
    virtual ~Asker() = default;
    // Returns whether the requester no longer waits. Called from time to time from any thread.
    virtual bool has_left() noexcept = 0;
    // Called once, from any thread. error: null if the size is known now, Cancelled if the requester has left
    // or everything ends, otherwise the exception that sizing the file threw.
    virtual void answer(std::exception_ptr error) noexcept = 0;
  };
  using AskerPtr = std::shared_ptr<Asker>;

  // size: performs the pass. If it is called again after it threw Cancelled, it resumes. is_over: returns
  // whether all work must end; it must be cheap.
  Sizings(size_t max_at_work, std::function<void(Inode file)> size, std::function<bool()> is_over);
  // Answers the askers that still wait. Requires: no ask() is in progress.
  ~Sizings();
  Sizings(const Sizings&) = delete;
  Sizings& operator=(const Sizings&) = delete;

  // Returns when this thread has no more work, which may be before requester is answered. Throws bad_alloc if
  // there is no memory for the request; requester is not answered then.
  void ask(Inode file, AskerPtr requester);

 private:
  // One file being sized. mutex_ guards all members but the atomics, which are read for every piece of work.
  struct Job : Request {
    Job(Sizings& of, Inode of_file) : sizings(of), file(of_file) {}
    bool cancelled() const override;

    Sizings& sizings;
    const Inode file;
    std::vector<AskerPtr> askers;
    std::atomic<bool> is_wanted{true};  // there are askers
    std::atomic<int64_t> turn_ends{0};  // nanoseconds of the steady clock
    int64_t turn = 100'000'000;         // nanoseconds; doubles with each turn
  };
  using JobPtr = std::shared_ptr<Job>;
  // Jobs move between lists without allocating memory, so that askers are answered even if memory is
  // exhausted.
  using Jobs = std::list<JobPtr>;

  void work(Jobs one);
  Jobs next_job() REQUIRES(mutex_);
  void look_for_leavers();

  const size_t max_at_work_;
  const std::function<void(Inode)> size_;
  const std::function<bool()> is_over_;
  Mutex mutex_;
  std::unordered_map<Inode, JobPtr> jobs_ GUARDED_BY(mutex_);
  Jobs queue_ GUARDED_BY(mutex_);  // jobs without a thread, the next one first
  size_t at_work_ GUARDED_BY(mutex_) = 0;
  std::atomic<size_t> queued_{0};      // length of queue_; read for every piece of work
  std::atomic<int64_t> next_look_{0};  // nanoseconds of the steady clock; the thread that advances it looks
};

}  // namespace plainfs
