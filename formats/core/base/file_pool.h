// The files and folders of this machine. The pool keeps a bounded number of files open and records the state
// of each path (device, inode, size, times) at its first use. A file has one descriptor while it is held,
// however often it is opened. If the process has no descriptor left, opening a file waits for one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "formats/core/base/sources.h"

namespace plainfs {

// Returns how many descriptors the process may have (RLIMIT_NOFILE).
size_t max_descriptors();

class FilePool : public Sources {
 public:
  // max_open: the limit of open files, lowered to a quarter of max_descriptors() if that is less.
  // bytes_read: counts every byte read through the pool's files (Counters::source_bytes_read); may be null.
  explicit FilePool(size_t max_open = 256, std::atomic<uint64_t>* bytes_read = nullptr);
  ~FilePool() override;

  // Restricts the pool to `bounds`: a path that leads out of them is unreadable. Call it before anything is
  // opened.
  void confine(Containment bounds);
  // Follows the store at `path`, a file or a folder, if it is renamed. Call it before anything is opened.
  void follow(const std::string& path);

  // Returns null also for a name that exceeds the system's limit. Absent paths are remembered too, the latest
  // hundred thousand.
  FilePtr open_if_exists(const std::string& path) override;
  KeyStorePtr open_folder(const std::string& path) override;
  const Containment& bounds() const override;
  EntryKind kind_of(const std::string& path) override;
  FilePtr look_into(const std::string& path) override;
  std::string place_of(const std::string& path) override;
  bool is_unwritten(const struct stat& now, uint64_t before) override;
  void clear() override;

 private:
  struct State;
  // Returns -1 if the path does not exist. Throws for every other reason.
  int open_descriptor(const std::string& path);

  std::unique_ptr<State> state_;
};

}  // namespace plainfs
