#include "formats/core/remote/retries.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <random>
#include <string_view>

namespace plainfs::remote {
namespace {

constexpr unsigned kMostAttempts = 10;
constexpr int64_t kFirstBackoff = 50, kLongestBackoff = 20'000;  // milliseconds

}  // namespace

unsigned most_attempts() {
  const char* const set = std::getenv("AWS_MAX_ATTEMPTS");
  if (!set) return kMostAttempts;
  const std::string_view text(set);
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? std::min(value, 100U)
                                                                               : kMostAttempts;
}

std::chrono::milliseconds pause_after(unsigned attempts) {
  const int64_t most = std::min(kLongestBackoff, kFirstBackoff << std::min(attempts, 16U));
  thread_local std::minstd_rand random(std::random_device{}());
  return std::chrono::milliseconds(std::uniform_int_distribution<int64_t>(0, most)(random));
}

}  // namespace plainfs::remote
