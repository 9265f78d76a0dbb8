// A few threads that help with many independent pieces of work. The caller always takes part, so
// parallel_for never waits for a queued job, may be nested, and works with no threads at all. Threads start
// on first use (a daemon forks before that); those that the system has not got do so on a later one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace plainfs {

class Workers {
 public:
  // threads: how many besides the callers; 0 = everything runs in the caller.
  explicit Workers(unsigned threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  unsigned threads() const;

  // Calls work(i) for every i in [0, count), in any order and on any thread, and returns when all have ended.
  // The first exception is rethrown after that; pieces not yet begun are then left out. All of them work for
  // the caller's Request: where that is cancelled, Cancelled is thrown before the next piece.
  void parallel_for(size_t count, const std::function<void(size_t)>& work);

  // Runs job some time later on a worker, or never where all are busy and the queue is full. For read-ahead:
  // nothing may depend on it. Exceptions are dropped. The job is cancelled when the workers end.
  void try_later(std::function<void()> job);
  // How many jobs try_later has taken since the beginning.
  uint64_t jobs_taken() const;
  // Of those, how many of the first are all over, and what they held is let go.
  uint64_t jobs_over() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plainfs
