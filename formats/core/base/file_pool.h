// The files and folders of this machine. The pool keeps a bounded number of files open and remembers what
// each path looked like (device, inode, size, times) when it was first used. A file that is
// held has one descriptor, however often it is asked for. Where the process has none left, opening a file
// waits for one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "formats/core/base/sources.h"

namespace plainfs {

// How many descriptors the process may have (RLIMIT_NOFILE).
size_t most_descriptors();

class FilePool : public Sources {
 public:
  // most_open: fewer are kept where they would be more than a quarter of most_descriptors(). bytes_read:
  // counts every byte read through the pool's files (Counters::source_bytes_read); may be null.
  explicit FilePool(size_t most_open = 256, std::atomic<uint64_t>* bytes_read = nullptr);
  ~FilePool() override;

  // From now on nothing else is opened: a path that leads out of bounds is unreadable. Before anything is
  // opened.
  void confine(Containment bounds);
  // From now on the store at path, a file or a folder, is found if it is renamed. Before anything is opened.
  void follow(const std::string& path);

  // Null also for a name that is too long to be one. What is absent is remembered too, the latest hundred
  // thousand paths of it.
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
  // -1 where nothing has that path. Throws for every other reason.
  int open_descriptor(const std::string& path);

  std::unique_ptr<State> state_;
};

}  // namespace plainfs
