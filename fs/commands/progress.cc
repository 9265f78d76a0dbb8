#include "fs/commands/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace plainfs {
namespace {

constexpr auto kBarEvery = std::chrono::milliseconds(200);
constexpr auto kLineEvery = std::chrono::seconds(10);
constexpr char kEraseLine[] = "\r\x1b[K";

std::string time_text(double seconds) {
  const auto whole = static_cast<uint64_t>(std::max(0.0, seconds));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string byte_text(double bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1000;
  return unit == 0 || bytes >= 99.5 ? fmt::format("{:.0f} {}", bytes, kUnits[unit])
                                    : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

Progress::Progress(uint64_t total_bytes) : on_terminal_(::isatty(STDERR_FILENO) == 1), total_(total_bytes) {}

double Progress::rate(Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  return seconds > 0 ? static_cast<double>(done_) / seconds : 0;
}

void Progress::add(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  done_ += bytes;
  const Clock::time_point now = Clock::now();
  const bool is_due = on_terminal_ ? now - shown_ >= kBarEvery : now - shown_ >= kLineEvery;
  if (is_due) show(now);
}

void Progress::skip(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  total_ -= std::min(total_, bytes);
}

void Progress::show(Clock::time_point now) {
  shown_ = now;
  const double speed = rate(now);
  const double part =
      total_ > 0 ? std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_)) : 1;
  const std::string left =
      speed > 0 ? time_text(static_cast<double>(total_ - std::min(total_, done_)) / speed) : "?";
  const std::string state = fmt::format("{:3.0f}% of {}, {}/s, {} left", 100 * part,
                                        byte_text(static_cast<double>(total_)), byte_text(speed), left);
  if (on_terminal_) {
    const auto filled = static_cast<size_t>(part * 30);
    std::fprintf(stderr, "%s[%s%s] %s", kEraseLine, std::string(filled, '#').c_str(),
                 std::string(30 - filled, ' ').c_str(), state.c_str());
  } else {
    std::fprintf(stderr, "%s\n", state.c_str());
  }
  std::fflush(stderr);
}

void Progress::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  std::fprintf(stderr, "%s%s\n", on_terminal_ ? kEraseLine : "", line.c_str());
}

void Progress::finish(const std::string& what) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  std::fprintf(stderr, "%s%s, %s in %s, %s/s\n", on_terminal_ ? kEraseLine : "", what.c_str(),
               byte_text(static_cast<double>(done_)).c_str(),
               time_text(std::chrono::duration<double>(now - start_).count()).c_str(),
               byte_text(rate(now)).c_str());
}

}  // namespace plainfs
