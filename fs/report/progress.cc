#include "fs/report/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <system_error>

#include "cache/mutex.h"
#include "formats/core/text/printable.h"
#include "fs/report/words.h"

namespace plainfs {
namespace {

constexpr auto kFirst = std::chrono::milliseconds(400);
constexpr auto kBarEvery = std::chrono::milliseconds(200);
constexpr auto kLineEvery = std::chrono::seconds(10);
constexpr char kEraseLine[] = "\r\x1b[K";
constexpr size_t kBarWidth = 30;

double seconds_of(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

std::string byte_text(double bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1000;
  return unit == 0 || bytes >= 99.5 ? fmt::format("{:.0f} {}", bytes, kUnits[unit])
                                    : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<uint64_t>(std::max(0.0, seconds));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

Progress::Progress(bool is_quiet)
    : is_quiet_(is_quiet), on_terminal_(!is_quiet && ::isatty(STDERR_FILENO) == 1) {
  if (is_quiet) return;
  try {
    ticker_ = std::thread([this] { tick(); });
  } catch (const std::system_error&) {
    // Nothing is shown until it ends.
  }
}

Progress::~Progress() {
  {
    const MutexLock lock(mutex_);
    if (!is_ended_ && on_terminal_) std::fputs(kEraseLine, stderr);
    is_ended_ = true;
  }
  ended_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

void Progress::tick() {
  const MutexLock lock(mutex_);
  for (Clock::duration wait = kFirst;;) {
    const Clock::time_point next = Clock::now() + wait;
    while (!is_ended_ && ended_.wait_until(mutex_, next)) continue;
    if (is_ended_) return;
    try {
      show(Clock::now());
    } catch (const std::bad_alloc&) {
      // the next time
    }
    wait = on_terminal_ ? Clock::duration(kBarEvery) : Clock::duration(kLineEvery);
  }
}

void Progress::begin(std::string_view doing, Unit unit, uint64_t total) {
  const MutexLock lock(mutex_);
  doing_ = doing;
  unit_ = unit;
  total_ = total;
  done_ = 0;
  phase_start_ = Clock::now();
}

void Progress::add(uint64_t done) {
  const MutexLock lock(mutex_);
  done_ += done;
}

void Progress::skip(uint64_t amount) {
  const MutexLock lock(mutex_);
  total_ -= std::min(total_, amount);
}

std::string Progress::state(Clock::time_point now) const {
  if (unit_ == Unit::files)
    return fmt::format("{}: {} of {}, {}", doing_, done_, count_text(total_, "file"),
                       duration_text(seconds_of(now - start_)));
  const double passed = seconds_of(now - phase_start_);
  const double speed = passed > 0 ? static_cast<double>(done_) / passed : 0;
  const double part =
      total_ > 0 ? std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_)) : 1;
  const std::string left =
      speed > 0 ? duration_text(static_cast<double>(total_ - std::min(total_, done_)) / speed) : "?";
  const std::string numbers = fmt::format("{:3.0f}% of {}, {}/s, {} left", 100 * part,
                                          byte_text(static_cast<double>(total_)), byte_text(speed), left);
  if (!on_terminal_) return fmt::format("{}: {}", doing_, numbers);
  const auto filled = static_cast<size_t>(part * kBarWidth);
  return fmt::format("{} [{}{}] {}", doing_, std::string(filled, '#'), std::string(kBarWidth - filled, ' '),
                     numbers);
}

void Progress::show(Clock::time_point now) {
  if (doing_.empty()) return;
  if (on_terminal_)
    std::fprintf(stderr, "%s%s", kEraseLine, state(now).c_str());
  else
    std::fprintf(stderr, "%s\n", state(now).c_str());
  std::fflush(stderr);
}

void Progress::print_line(const std::string& line) {
  const MutexLock lock(mutex_);
  if (is_quiet_) return;
  std::fprintf(stderr, "%s%s\n", on_terminal_ ? kEraseLine : "", printable(line).c_str());
}

void Progress::finish(const std::string& what) {
  const MutexLock lock(mutex_);
  is_ended_ = true;
  const double passed = seconds_of(Clock::now() - start_);
  const double bytes = static_cast<double>(done_);
  if (is_quiet_) return;
  std::fprintf(stderr, "%s%s, %s in %s, %s/s\n", on_terminal_ ? kEraseLine : "", what.c_str(),
               byte_text(bytes).c_str(), duration_text(passed).c_str(),
               byte_text(passed > 0 ? bytes / passed : 0).c_str());
}

void Progress::finish_with(const std::string& what) {
  const MutexLock lock(mutex_);
  is_ended_ = true;
  const double passed = seconds_of(Clock::now() - start_);
  if (is_quiet_) return;
  std::fprintf(stderr, "%s%s in %s\n", on_terminal_ ? kEraseLine : "", printable(what).c_str(),
               duration_text(passed).c_str());
}

void Progress::end() {
  const MutexLock lock(mutex_);
  is_ended_ = true;
  if (on_terminal_) std::fprintf(stderr, "%s", kEraseLine);
}

namespace {

// Shows passes one after another. Of simultaneous passes, it shows the one that reported last.
class ShownPass {
 public:
  void report(uint64_t read, uint64_t size) {
    if (size < kLarge) return;
    const MutexLock lock(mutex_);
    if (read >= size) return shown_.reset();
    if (!shown_ || size != size_ || read < read_) {
      if (!shown_) shown_ = std::make_unique<Progress>();
      shown_->begin("scanning the store", Progress::Unit::bytes, size);
      size_ = size;
      read_ = 0;
    }
    shown_->add(read - read_);
    read_ = read;
  }

 private:
  static constexpr uint64_t kLarge = 16 << 20;  // smaller ones are too fast to show

  Mutex mutex_;
  std::unique_ptr<Progress> shown_ GUARDED_BY(mutex_);
  uint64_t size_ GUARDED_BY(mutex_) = 0, read_ GUARDED_BY(mutex_) = 0;
};

}  // namespace

std::function<void(uint64_t read, uint64_t size)> shown_pass() {
  return [pass = std::make_shared<ShownPass>()](uint64_t read, uint64_t size) {
    try {
      pass->report(read, size);
    } catch (const std::bad_alloc&) {
      // the next time
    }
  };
}

}  // namespace plainfs
