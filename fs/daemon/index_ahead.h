// -o index_ahead: finds out the size of every file of a mount, and keeps it for the next one, while no
// reader waits for it.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "cache/request.h"
#include "fs/filesystem.h"

namespace plainfs {

class IndexAhead : private Request {
 public:
  // Begins on a thread of its own, which gives way to every other. filesystem outlives this.
  explicit IndexAhead(Filesystem& filesystem);
  // Ends it where it is.
  ~IndexAhead() override;

 private:
  bool cancelled() const override { return is_over_.load(std::memory_order_relaxed); }
  bool is_patient() const override { return true; }
  void run();
  void measure_all();
  void measure_next(std::vector<Inode>& left);
  void measure(Inode file);

  Filesystem& filesystem_;
  std::atomic<bool> is_over_{false};  // relaxed: nothing else is told by it
  std::thread thread_;
};

}  // namespace plainfs
