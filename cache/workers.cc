#include "cache/workers.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "cache/mutex.h"
#include "cache/request.h"

namespace plainfs {

namespace {

// One parallel_for, on the stack of its caller. The caller leaves only after the last helper did.
struct Loop {
  Loop(size_t pieces, const std::function<void(size_t)>& piece) : count(pieces), work(piece) {}

  const size_t count;
  const std::function<void(size_t)>& work;
  const Request* const request = Request::current();  // the caller's; helpers work for it
  std::atomic<size_t> next{0};                        // claimed without a lock: pieces may be small
  size_t helpers = 0;                                 // workers inside run(); guarded by State::mutex
  Condition helper_left;
  Mutex error_mutex;
  std::exception_ptr error GUARDED_BY(error_mutex);

  std::exception_ptr first_error() {
    const MutexLock lock(error_mutex);
    return error;
  }

  void run() {
    const Request::Scope scope(request);
    for (;;) {
      const size_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) return;
      try {
        check_cancelled();
        work(i);
      } catch (...) {
        next.store(count, std::memory_order_relaxed);
        const MutexLock lock(error_mutex);
        if (!error) error = std::current_exception();
      }
    }
  }
};

}  // namespace

struct Workers::State : Request {
  explicit State(unsigned wanted) : threads_wanted(wanted) {}
  // Jobs of try_later belong to no request and are cancelled when the workers end.
  bool cancelled() const override { return stopping.load(std::memory_order_relaxed); }

  const unsigned threads_wanted;
  std::atomic<bool> stopping{false};  // atomic: jobs read it without the lock; set with it
  Mutex mutex;
  Condition work_arrived;
  std::deque<Loop*> loops GUARDED_BY(mutex);  // loops that may still have pieces to claim
  std::deque<std::function<void()>> later GUARDED_BY(mutex);
  uint64_t begun GUARDED_BY(mutex) = 0;  // jobs taken out of later; the number of its front job
  std::vector<uint64_t> running
      GUARDED_BY(mutex);  // numbers of the jobs in progress; has room for one per thread
  std::vector<std::thread> threads GUARDED_BY(mutex);
  size_t idle GUARDED_BY(mutex) = 0;

  void start() REQUIRES(mutex);
  void serve();
  void help(Loop& loop) REQUIRES(mutex);
};

// Starts the threads that are missing, in case an earlier call got none. Signals are left to the threads that
// existed before.
void Workers::State::start() {
  if (threads.size() == threads_wanted) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    threads.reserve(threads_wanted);
    running.reserve(threads_wanted);
    while (threads.size() < threads_wanted) threads.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    // Fewer threads than wanted: the callers do the rest.
  } catch (const std::bad_alloc&) {
    // Fewer threads than wanted here too.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Workers::State::serve() {
  MutexLock lock(mutex);
  for (;;) {
    ++idle;
    while (!stopping && loops.empty() && later.empty()) work_arrived.wait(mutex);
    --idle;
    if (stopping) return;
    if (!loops.empty()) {
      help(*loops.front());
      continue;
    }
    const uint64_t number = begun++;
    running.push_back(number);
    std::function<void()> job = std::move(later.front());
    later.pop_front();
    lock.unlock();
    try {
      const Request::Scope scope(this);
      job();
    } catch (...) {
      // try_later promises nothing.
    }
    job = nullptr;
    lock.lock();
    std::erase(running, number);
  }
}

// Requires: loop is in loops. The mutex is not held while the loop runs.
void Workers::State::help(Loop& loop) {
  ++loop.helpers;
  mutex.unlock();
  loop.run();
  mutex.lock();
  // All pieces are claimed: no other thread needs to look at it.
  if (const auto at = std::find(loops.begin(), loops.end(), &loop); at != loops.end()) loops.erase(at);
  if (--loop.helpers == 0) loop.helper_left.notify_one();
}

Workers::Workers(unsigned threads) : state_(std::make_unique<State>(threads)) {}

Workers::~Workers() {
  {
    const MutexLock lock(state_->mutex);
    state_->stopping = true;
  }
  state_->work_arrived.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

unsigned Workers::threads() const {
  return state_->threads_wanted;
}

void Workers::parallel_for(size_t count, const std::function<void(size_t)>& work) {
  const Request* const request = Request::current();
  if (count <= 1 || state_->threads_wanted == 0 || (request && request->is_patient())) {
    for (size_t i = 0; i < count; ++i) {
      check_cancelled();
      work(i);
    }
    return;
  }
  Loop loop(count, work);
  {
    const MutexLock lock(state_->mutex);
    state_->start();
    state_->loops.push_back(&loop);
    for (size_t i = std::min(state_->idle, count - 1); i > 0; --i) state_->work_arrived.notify_one();
  }
  loop.run();
  {
    const MutexLock lock(state_->mutex);
    std::erase(state_->loops, &loop);
    while (loop.helpers != 0) loop.helper_left.wait(state_->mutex);
  }
  if (const std::exception_ptr error = loop.first_error()) std::rethrow_exception(error);
}

void Workers::try_later(std::function<void()> job) {
  if (state_->threads_wanted == 0) return;
  const MutexLock lock(state_->mutex);
  state_->start();
  if (state_->later.size() >= size_t{4} * state_->threads.size()) return;
  state_->later.push_back(std::move(job));
  state_->work_arrived.notify_one();
}

uint64_t Workers::jobs_taken() const {
  const MutexLock lock(state_->mutex);
  return state_->begun + state_->later.size();
}

uint64_t Workers::jobs_over() const {
  const MutexLock lock(state_->mutex);
  uint64_t first = state_->begun;
  for (const uint64_t number : state_->running) first = std::min(first, number);
  return first;
}

}  // namespace plainfs
