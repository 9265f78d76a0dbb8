// A Context for one test: a small cache, two workers, and the warnings kept for inspection.
#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "formats/core/base/file_pool.h"
#include "formats/core/model/context.h"

namespace plainfs {

class TestContext {
 public:
  explicit TestContext(size_t budget_bytes = size_t{64} << 20, unsigned threads = 2)
      : cache(budget_bytes), files(64, &counters.source_bytes_read), workers(threads) {}
  TestContext(const TestContext&) = delete;
  TestContext& operator=(const TestContext&) = delete;

  operator Context&() { return context; }

  // Returns all warnings so far, in order.
  std::vector<std::string> warnings() const {
    const std::lock_guard lock(mutex_);
    return warnings_;
  }
  // Returns whether a warning contains all of `text`.
  bool warned(std::string_view text) const {
    for (const std::string& warning : warnings()) {
      if (warning.find(text) != std::string::npos) return true;
    }
    return false;
  }
  // Waits until no read-ahead is running, so that the decode counters are stable.
  void wait_for_jobs() const {
    while (workers.jobs_over() < workers.jobs_taken()) std::this_thread::yield();
  }

  Counters counters;
  ByteCache cache;
  DecodeBudget decode_budget;
  DecodeBudget unit_budget;
  FilePool files;
  Context context{
      cache, workers, decode_budget, unit_budget, files, counters, {}, [this](const std::string& message) {
        add(message);
      }};

 private:
  void add(const std::string& message) {
    const std::lock_guard lock(mutex_);
    warnings_.push_back(message);
  }

  mutable std::mutex mutex_;  // guards warnings_
  std::vector<std::string> warnings_;

 public:
  Workers workers;  // declared last, so that its jobs end before the members they use
};

}  // namespace plainfs
