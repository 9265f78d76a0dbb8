// Commits a fault that a sanitizer must detect: scripts/sanitize runs it first, and continues only if it is
// stopped. Usage: sanitizer_canary address|undefined|thread
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

int read_beyond(const std::vector<int>& values, size_t place) {
  return values.data()[place];
}

int one_more(int value) {
  return value + 1;
}

int race() {
  int shared = 0;
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) ++shared;
  });
  for (int i = 0; i < 1000; ++i) ++shared;
  other.join();
  return shared;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view kind = count > 1 ? arguments[1] : "";
  int result = 0;
  // The numbers come from outside, so that no compiler can optimise the fault away.
  if (kind == "address") result = read_beyond(std::vector<int>(4), static_cast<size_t>(3 + count));
  if (kind == "undefined") result = one_more(INT_MAX - 2 + count);
  if (kind == "thread") result = race();
  std::printf("%d: nobody stopped me\n", result);
}
