#include "fs/daemon/index_ahead.h"

#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include "fs/daemon/signal_pipe.h"
#include "fs/index/housekeeping.h"

namespace plainfs {
namespace {

[[maybe_unused]] constexpr int kLeastPriority = 19;
constexpr std::chrono::milliseconds kPause{50};

// Lowers the priority of this thread only, as Linux has one per thread.
void lower_priority() {
#ifdef __linux__
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kLeastPriority);
#endif
}

}  // namespace

IndexAhead::IndexAhead(Filesystem& filesystem, std::function<void(const std::string&)> log)
    : filesystem_(filesystem), log_(std::move(log)) {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    // sizes are measured on request instead
  }
}

IndexAhead::~IndexAhead() {
  is_over_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) thread_.join();
}

void IndexAhead::run() {
  leave_signals_to_others();
  lower_priority();
  const Request::Scope scope(this);
  keep_house("sizes are not computed ahead", log_, [this] {
    measure_all();
    filesystem_.save_index();
  });
}

void IndexAhead::measure_all() {
  std::vector<Inode> left{kRootInode};  // each held once
  filesystem_.hold(kRootInode);
  const auto release_left = [&] {
    for (const Inode inode : left) filesystem_.release(inode);
  };
  try {
    while (!left.empty()) {
      check_cancelled();
      const Filesystem::Visit visit = filesystem_.visit();
      measure_next(left);
    }
  } catch (...) {
    release_left();
    throw;
  }
}

// Measures the last of the remaining entries, or adds the entries of a directory to them.
void IndexAhead::measure_next(std::vector<Inode>& left) {
  const Inode inode = left.back();
  left.pop_back();
  try {
    if (filesystem_.kind(inode) == FileKind::file) measure(inode);
    if (filesystem_.kind(inode) == FileKind::directory) {
      const ListingPtr listing = filesystem_.list(inode);
      for (size_t i = listing->once(); i-- > 0;) {
        left.push_back(listing->inode_at(i));
        filesystem_.hold(left.back());
      }
    }
  } catch (const Error&) {
    // opening the file reports the error
  }
  filesystem_.release(inode);
}

// Tries again after giving way to a reader that waited for the file.
void IndexAhead::measure(Inode file) {
  for (;;) {
    try {
      filesystem_.status(file);
      return;
    } catch (const Cancelled&) {
      check_cancelled();
      std::this_thread::sleep_for(kPause);
    }
  }
}

}  // namespace plainfs
