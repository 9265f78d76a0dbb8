#include "fs/commands/size_saver.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "cache/mutex.h"
#include "formats/core/text/printable.h"
#include "fs/command_line/exit_code.h"
#include "fs/index/housekeeping.h"

namespace plainfs {
namespace {

constexpr auto kBetween = std::chrono::seconds(60);

void print_line(const std::string& line) {
  std::fprintf(stderr, "plainfs: %s\n", printable(line).c_str());
}

// Saves what has been measured, once a minute while it exists.
class SizeSaver {
 public:
  explicit SizeSaver(Filesystem& filesystem) : filesystem_(filesystem), thread_([this] { run(); }) {}
  ~SizeSaver() {
    {
      const MutexLock lock(mutex_);
      is_over_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }
  SizeSaver(const SizeSaver&) = delete;
  SizeSaver& operator=(const SizeSaver&) = delete;

  void save() noexcept {
    keep_house("the sizes measured so far are not saved", print_line, [this] { filesystem_.save_index(); });
  }

 private:
  void run() {
    while (waits(std::chrono::steady_clock::now() + kBetween)) save();
  }

  // Returns false if the pass ends before.
  bool waits(std::chrono::steady_clock::time_point end) {
    const MutexLock lock(mutex_);
    while (!is_over_ && ended_.wait_until(mutex_, end)) {
    }
    return !is_over_;
  }

  Filesystem& filesystem_;
  Mutex mutex_;
  Condition ended_;
  bool is_over_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace

void run_saving_sizes(Filesystem& filesystem, const std::string& store, const Interruption& interruption,
                      const std::function<void()>& pass) {
  SizeSaver saver(filesystem);
  try {
    const Request::Scope scope(&interruption);
    pass();
  } catch (const Cancelled&) {
    saver.save();
    const std::string line =
        store +
        ": stopped by a signal; the sizes measured so far are kept, and the next pass measures "
        "the rest";
    print_line(line);
    throw Failure(kNotWritten, line);  // seldom seen: the signal ends the program before
  }
}

}  // namespace plainfs
