// Shared runs: long computations for which clients wait. Equal ones are one run with a thread of its own,
// however many clients wait for it. It is cancelled when the last of them has left.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "cache/mutex.h"
#include "cache/request.h"
#include "fs/serve/site/work_budget.h"

namespace plainfs::serve {

// The part of a run that is done. Thread-safe.
class RunProgress {
 public:
  // Sets how much work the run takes, in any unit. Until then nothing counts as done.
  void expect(uint64_t work) { all_.store(work, std::memory_order_relaxed); }
  void add(uint64_t done) { done_.fetch_add(done, std::memory_order_relaxed); }
  // Returns a number from 0 to 1, which never falls.
  double share() const {
    const uint64_t all = all_.load(std::memory_order_relaxed);
    const auto done = static_cast<double>(done_.load(std::memory_order_relaxed));
    return all == 0 ? 0 : std::min(1.0, done / static_cast<double>(all));
  }

 private:
  std::atomic<uint64_t> all_{0}, done_{0};  // relaxed: they are only shown
};

// Thread-safe. Requires: no client waits when it is destroyed.
template <class Result>
class SharedRuns {
 public:
  using ResultPtr = std::shared_ptr<const Result>;
  using Make = std::function<Result(RunProgress&)>;
  using Watch = std::function<void(const RunProgress&)>;

  // Waits for the run of that key, which make() computes on another thread unless the run is in progress.
  // watch: called on this thread at once and about ten times a second while it waits. Throws what make()
  // throws, what watch() throws, Cancelled, and Busy if no thread can be started. If no client waits any
  // more after an exception, the run has ended.
  ResultPtr wait(const std::string& key, Make make, const Watch& watch) {
    const Joined joined(*this, key, std::move(make));
    Run& run = *joined.run;
    for (;;) {
      check_cancelled();
      watch(run.progress);
      const MutexLock lock(mutex_);
      if (!run.is_over) changed_.wait_for(mutex_, kBetweenLooks);
      if (run.is_over) break;
    }
    if (run.error) std::rethrow_exception(run.error);
    return run.result;
  }

  // Returns how many clients wait for the run of that key.
  size_t waiting(const std::string& key) const {
    const MutexLock lock(mutex_);
    const auto known = runs_.find(key);
    return known == runs_.end() ? 0 : known->second->waiting;
  }

 private:
  static constexpr std::chrono::milliseconds kBetweenLooks{100};

  // mutex_ guards all members but is_wanted and progress. The result and the error do not change once the run
  // is over.
  struct Run : Request {
    bool cancelled() const override { return !is_wanted.load(std::memory_order_relaxed); }

    RunProgress progress;
    std::atomic<bool> is_wanted{true};  // relaxed: publishes no other data
    size_t waiting = 0;
    bool is_over = false;
    ResultPtr result;
    std::exception_ptr error;
    std::thread thread;
  };
  using RunPtr = std::shared_ptr<Run>;

  // A client that waits for a run. The last one ends it.
  struct Joined {
    Joined(SharedRuns& of_runs, std::string of_key, Make make)
        : runs(of_runs), key(std::move(of_key)), run(runs.join(key, std::move(make))) {}
    ~Joined() { runs.leave(key, run); }
    Joined(const Joined&) = delete;
    Joined& operator=(const Joined&) = delete;

    SharedRuns& runs;
    const std::string key;
    const RunPtr run;
  };

  RunPtr join(const std::string& key, Make make) {
    const MutexLock lock(mutex_);
    RunPtr& run = runs_[key];
    try {
      if (!run) run = start(std::move(make));
    } catch (const std::system_error&) {
      runs_.erase(key);
      throw Busy();
    } catch (...) {
      runs_.erase(key);
      throw;
    }
    ++run->waiting;
    return run;
  }

  RunPtr start(Make make) {
    auto run = std::make_shared<Run>();
    run->thread = std::thread([this, &started = *run, make = std::move(make)] { work(started, make); });
    return run;
  }

  void work(Run& run, const Make& make) noexcept {
    ResultPtr result;
    std::exception_ptr error;
    try {
      const Request::Scope scope(&run);
      result = std::make_shared<const Result>(make(run.progress));
    } catch (...) {
      error = std::current_exception();
    }
    const MutexLock lock(mutex_);
    run.result = std::move(result);
    run.error = std::move(error);
    run.is_over = true;
    changed_.notify_all();
  }

  void leave(const std::string& key, const RunPtr& run) {
    std::thread ended;
    {
      const MutexLock lock(mutex_);
      if (--run->waiting > 0) return;
      run->is_wanted.store(false, std::memory_order_relaxed);
      runs_.erase(key);
      ended = std::move(run->thread);
    }
    ended.join();
  }

  mutable Mutex mutex_;
  Condition changed_;
  std::map<std::string, RunPtr> runs_ GUARDED_BY(mutex_);
};

}  // namespace plainfs::serve
