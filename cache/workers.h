// A few threads that help with many independent pieces of work. The caller always takes part, so parallel_for
// never waits for a queued job, can be nested, and works with no threads at all. Threads start on first use,
// because a daemon forks before that. A thread that the system cannot start is tried again on a later use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace plainfs {

class Workers {
 public:
  // threads: the number of threads besides the callers; 0 runs everything in the caller.
  explicit Workers(unsigned threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  unsigned threads() const;

  // Calls work(i) for every i in [0, count), in any order and on any thread. Returns when all calls have
  // ended, and then rethrows the first exception; after an exception no further piece begins. All pieces work
  // for the caller's Request. If it is cancelled, Cancelled is thrown before the next piece.
  void parallel_for(size_t count, const std::function<void(size_t)>& work);

  // Runs job later on a worker, or never if all are busy and the queue is full. For read-ahead: nothing may
  // depend on it. Exceptions are dropped. The job is cancelled when the workers end.
  void try_later(std::function<void()> job);
  // Returns how many jobs try_later has accepted so far.
  uint64_t jobs_taken() const;
  // Returns the largest n such that the first n of those jobs are over and have released what they held.
  uint64_t jobs_over() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plainfs
