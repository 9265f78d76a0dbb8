#include "fs/sizings.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cache/mutex.h"

namespace plainfs {
namespace {

constexpr int64_t kBetweenLooks = 20'000'000;  // nanoseconds

int64_t now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void answer(const std::vector<Sizings::AskerPtr>& askers, const std::exception_ptr& error) {
  for (const Sizings::AskerPtr& requester : askers) requester->answer(error);
}

}  // namespace

bool Sizings::Job::cancelled() const {
  if (sizings.is_over_()) return true;
  sizings.look_for_leavers();
  if (!is_wanted.load(std::memory_order_relaxed)) return true;
  return sizings.queued_.load(std::memory_order_relaxed) > 0 &&
         now() >= turn_ends.load(std::memory_order_relaxed);
}

Sizings::Sizings(size_t max_at_work, std::function<void(Inode)> size, std::function<bool()> is_over)
    : max_at_work_(max_at_work), size_(std::move(size)), is_over_(std::move(is_over)) {}

Sizings::~Sizings() {
  const MutexLock lock(mutex_);
  for (const JobPtr& job : queue_) answer(job->askers, std::make_exception_ptr(Cancelled()));
}

void Sizings::ask(Inode file, AskerPtr requester) {
  Jobs one;
  {
    const MutexLock lock(mutex_);
    if (const auto known = jobs_.find(file); known != jobs_.end()) {
      known->second->askers.push_back(std::move(requester));
      known->second->is_wanted = true;
      return;
    }
    one.push_back(std::make_shared<Job>(*this, file));
    one.front()->askers.push_back(std::move(requester));
    jobs_.emplace(file, one.front());
    if (at_work_ == max_at_work_) {
      queue_.splice(queue_.end(), one);
      ++queued_;
      return;
    }
    ++at_work_;
  }
  work(std::move(one));
}

// Requires: the calling thread is counted in at_work_. Returns when it no longer is.
void Sizings::work(Jobs one) {
  while (!one.empty()) {
    const JobPtr job = one.front();
    bool is_cancelled = false;
    std::exception_ptr error;
    job->turn_ends = now() + job->turn;
    job->turn *= 2;
    try {
      const Request::Scope scope(job.get());
      size_(job->file);
    } catch (const Cancelled&) {
      is_cancelled = true;
      error = std::current_exception();
    } catch (...) {
      error = std::current_exception();
    }
    std::vector<AskerPtr> answered;
    {
      const MutexLock lock(mutex_);
      if (is_cancelled && !job->askers.empty() && !is_over_()) {
        // Its turn was over, or an requester came after the last one had left.
        queue_.splice(queue_.end(), one);
        ++queued_;
      } else {
        answered.swap(job->askers);
        jobs_.erase(job->file);
      }
      one = next_job();
      if (one.empty()) --at_work_;
    }
    answer(answered, error);
  }
}

// Removes the first job of the queue and returns it; empty if the queue is empty.
Sizings::Jobs Sizings::next_job() {
  Jobs one;
  if (queue_.empty()) return one;
  one.splice(one.end(), queue_, queue_.begin());
  --queued_;
  return one;
}

void Sizings::look_for_leavers() {
  int64_t next = next_look_.load(std::memory_order_relaxed);
  const int64_t time = now();
  if (time < next || !next_look_.compare_exchange_strong(next, time + kBetweenLooks)) return;
  std::vector<AskerPtr> left;
  {
    const MutexLock lock(mutex_);
    size_t askers = 0;
    for (const auto& [file, job] : jobs_) askers += job->askers.size();
    left.reserve(askers);  // before any has been moved
    for (const auto& [file, job] : jobs_) {
      const auto gone =
          std::stable_partition(job->askers.begin(), job->askers.end(),
                                [](const AskerPtr& requester) { return !requester->has_left(); });
      std::move(gone, job->askers.end(), std::back_inserter(left));
      job->askers.erase(gone, job->askers.end());
      job->is_wanted = !job->askers.empty();
    }
    std::erase_if(queue_, [&](const JobPtr& job) REQUIRES(mutex_) {
      if (!job->askers.empty()) return false;
      jobs_.erase(job->file);
      --queued_;
      return true;
    });
  }
  answer(left, std::make_exception_ptr(Cancelled()));
}

}  // namespace plainfs
