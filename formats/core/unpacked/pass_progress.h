// The progress of a pass over a large file, for the log and for observers.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <utility>

#include "formats/core/base/file.h"
#include "formats/core/model/context.h"

namespace plainfs::unpacked {

class PassProgress {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kFirst{2}, kNext{10};

  // Reports on a file of that size. purpose: what the pass locates ("the entries of the matrix"). begun: the
  // time at which the pass began.
  PassProgress(uint64_t size, std::string purpose, const Context& context,
               Clock::time_point begun = Clock::now())
      : size_(size), purpose_(std::move(purpose)), context_(context), due_(begun + kFirst) {}
  ~PassProgress() {
    if (context_.passing) context_.passing(size_, size_);
  }
  PassProgress(const PassProgress&) = delete;
  PassProgress& operator=(const PassProgress&) = delete;

  // Returns file with its reads counted. This must outlive it.
  FilePtr watched(FilePtr file);
  // Reports progress to observers, and to the log when due: after kFirst and then every kNext.
  void report(Clock::time_point now = Clock::now());

 private:
  class Watched;

  const uint64_t size_;
  const std::string purpose_;
  const Context& context_;
  Clock::time_point due_;
  std::atomic<uint64_t> read_{0};  // relaxed: it synchronises nothing else
};

}  // namespace plainfs::unpacked
