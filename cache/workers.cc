#include "cache/workers.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "cache/request.h"

namespace plainfs {

namespace {

// One parallel_for, on the stack of its caller, who leaves only after the last helper did.
struct Loop {
  Loop(size_t pieces, const std::function<void(size_t)>& piece) : count(pieces), work(piece) {}

  const size_t count;
  const std::function<void(size_t)>& work;
  const Request* const request = Request::current();  // of the caller, whom the helpers work for
  std::atomic<size_t> next{0};                        // claimed without a lock: pieces may be small
  size_t helpers = 0;                                 // workers inside run(); guarded by State::mutex
  std::condition_variable helper_left;
  std::mutex error_mutex;
  std::exception_ptr error;  // guarded by error_mutex

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
        const std::lock_guard lock(error_mutex);
        if (!error) error = std::current_exception();
      }
    }
  }
};

}  // namespace

struct Workers::State : Request {
  explicit State(unsigned wanted) : threads_wanted(wanted) {}
  // What runs later is for nobody in particular, and ends where the workers do.
  bool cancelled() const override { return stopping.load(std::memory_order_relaxed); }

  const unsigned threads_wanted;
  std::atomic<bool> stopping{false};  // atomic: jobs ask without the lock; set with it
  std::mutex mutex;                   // guards everything below
  std::condition_variable work_arrived;
  std::deque<Loop*> loops;  // those that may still have pieces to claim
  std::deque<std::function<void()>> later;
  uint64_t begun = 0;             // jobs taken out of later: the front one has this number
  std::vector<uint64_t> running;  // the numbers of those that are not over; has room for one a thread
  std::vector<std::thread> threads;
  size_t idle = 0;

  void start();
  void serve();
  void help(std::unique_lock<std::mutex>& lock, Loop& loop);
};

// Those that are not there yet, in case an earlier call got none. Signals are left to the threads that were
// there before. Requires: mutex is held.
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
    // The same.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Workers::State::serve() {
  std::unique_lock lock(mutex);
  for (;;) {
    ++idle;
    work_arrived.wait(lock, [&] { return stopping || !loops.empty() || !later.empty(); });
    --idle;
    if (stopping) return;
    if (!loops.empty()) {
      help(lock, *loops.front());
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

// Requires: lock holds mutex, loop stands in loops. Gives the lock back as it was.
void Workers::State::help(std::unique_lock<std::mutex>& lock, Loop& loop) {
  ++loop.helpers;
  lock.unlock();
  loop.run();
  lock.lock();
  // All pieces are claimed: nobody else need look at it.
  if (const auto at = std::find(loops.begin(), loops.end(), &loop); at != loops.end()) loops.erase(at);
  if (--loop.helpers == 0) loop.helper_left.notify_one();
}

Workers::Workers(unsigned threads) : state_(std::make_unique<State>(threads)) {}

Workers::~Workers() {
  {
    const std::lock_guard lock(state_->mutex);
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
    const std::lock_guard lock(state_->mutex);
    state_->start();
    state_->loops.push_back(&loop);
    for (size_t i = std::min(state_->idle, count - 1); i > 0; --i) state_->work_arrived.notify_one();
  }
  loop.run();
  {
    std::unique_lock lock(state_->mutex);
    std::erase(state_->loops, &loop);
    loop.helper_left.wait(lock, [&] { return loop.helpers == 0; });
  }
  if (loop.error) std::rethrow_exception(loop.error);
}

void Workers::try_later(std::function<void()> job) {
  if (state_->threads_wanted == 0) return;
  const std::lock_guard lock(state_->mutex);
  state_->start();
  if (state_->later.size() >= size_t{4} * state_->threads.size()) return;
  state_->later.push_back(std::move(job));
  state_->work_arrived.notify_one();
}

uint64_t Workers::jobs_taken() const {
  const std::lock_guard lock(state_->mutex);
  return state_->begun + state_->later.size();
}

uint64_t Workers::jobs_over() const {
  const std::lock_guard lock(state_->mutex);
  const auto& running = state_->running;
  return running.empty() ? state_->begun : *std::min_element(running.begin(), running.end());
}

}  // namespace plainfs
