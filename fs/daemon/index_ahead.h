// -o index_ahead: computes the size of every file of a mount in the background, and keeps them for the next
// session.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cache/request.h"
#include "fs/filesystem.h"

namespace plainfs {
// A background thread that computes sizes while no reader waits for it.

class IndexAhead : private Request {
 public:
  // Starts on its own thread, with the lowest priority. filesystem must outlive this. log: receives a line if
  // the sizes cannot be kept.
  IndexAhead(Filesystem& filesystem, std::function<void(const std::string& line)> log);
  // Ends it at once.
  ~IndexAhead() override;

 private:
  bool cancelled() const override { return is_over_.load(std::memory_order_relaxed); }
  bool is_patient() const override { return true; }
  void run();
  void measure_all();
  void measure_next(std::vector<Inode>& left);
  void measure(Inode file);

  Filesystem& filesystem_;
  const std::function<void(const std::string&)> log_;
  std::atomic<bool> is_over_{false};  // relaxed: publishes no other data
  std::thread thread_;
};

}  // namespace plainfs
