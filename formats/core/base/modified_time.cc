#include "formats/core/base/modified_time.h"

#include <tuple>

namespace plainfs {

bool is_later(timespec a, timespec b) {
  return std::tie(b.tv_sec, b.tv_nsec) < std::tie(a.tv_sec, a.tv_nsec);
}

timespec file_time() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now;
}

void wait_for_file_time() {
#ifdef CLOCK_REALTIME_COARSE
  const timespec start = file_time();
  timespec tick{};
  const timespec pause{0, 500'000};
  while (::clock_gettime(CLOCK_REALTIME_COARSE, &tick) == 0 && !is_later(tick, start)) {
    ::nanosleep(&pause, nullptr);
  }
#endif
}

bool is_modified_since(timespec modified, timespec then) {
  return is_later(modified, then) && !is_later(modified, file_time());
}

}  // namespace plainfs
