// Opens the store anew on a thread of its own, so that neither signals nor requests wait for it. However
// often it is asked while it does so, it does so once more.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "cache/mutex.h"
#include "cache/request.h"
#include "fs/log.h"
#include "fs/mount/fuse.h"

namespace plainfs {

class Reopener {
 public:
  Reopener(FuseMount& mount, Filesystem& filesystem, Log& log);
  // What is under way is cancelled.
  ~Reopener();
  Reopener(const Reopener&) = delete;
  Reopener& operator=(const Reopener&) = delete;

  // From any thread; returns at once. then: what to do once the store was opened anew or could not be, or
  // when all is over; it is called on the thread of the reopener.
  void ask(std::function<void()> then = {});
  // The same where the store was opened anew already: the kernel is made to forget the old one.
  void ask_to_forget();

 private:
  struct Work : Request {
    explicit Work(const Reopener& of) : reopener(of) {}
    bool cancelled() const override { return reopener.is_ending_ || reopener.mount_.is_over(); }
    const Reopener& reopener;
  };
  void run();
  void reopen();
  void forget();
  bool invalidated();
  void do_afterwards() REQUIRES(mutex_);

  FuseMount& mount_;
  Filesystem& filesystem_;
  Log& log_;
  Mutex mutex_;
  Condition asked_;
  bool is_wanted_ GUARDED_BY(mutex_) = false;
  bool is_to_forget_ GUARDED_BY(mutex_) = false;
  std::vector<std::function<void()>> afterwards_ GUARDED_BY(mutex_);
  std::atomic<bool> is_ending_{false};  // set with the mutex held, asked without it
  std::thread thread_;
};

}  // namespace plainfs
