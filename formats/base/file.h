// The files of a store. All of them are opened through the FilePool, which keeps a bounded number open and
// remembers what each path looked like (device, inode, size, mtime, ctime) when it was first used: a file
// that has changed since then is an error, so nobody is shown a mix of old and new. Where the process has no
// descriptor left, whoever opens a file waits for one.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/base/bytes.h"
#include "formats/base/containment.h"

namespace plainfs {

// A regular file, open for reading. Safe from any thread.
class File {
 public:
  // Takes over the descriptor. bytes_read: where the bytes of read_at are added up; may be null.
  File(int descriptor, std::string path, std::atomic<uint64_t>* bytes_read = nullptr);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  int descriptor() const { return descriptor_; }

  // Exactly out.size() bytes from offset. Throws damaged where the file ends before that, changed where it is
  // no longer what was opened, unreadable where the system fails.
  void read_at(uint64_t offset, std::span<std::byte> out) const;
  Bytes read_at(uint64_t offset, size_t size) const;
  // Throws changed where the path is no longer this file, of this size and times. Where a folder on the way
  // was replaced, some milliseconds may pass before that is seen.
  void check_unchanged() const;
  // Throws changed where the file was modified after then.
  void check_unmodified_since(timespec then) const;
  // Device, inode, size, mtime and ctime in one number.
  uint64_t fingerprint() const { return fingerprint_; }

 private:
  void check_range(uint64_t offset, size_t size) const;
  void check_path(uint64_t links) const;

  const int descriptor_;
  const std::string path_;
  uint64_t size_ = 0;
  timespec modified_{};
  uint64_t links_ = 0;
  uint64_t fingerprint_ = 0;
  mutable std::atomic<int64_t> path_checked_{0};  // the tick at which the path last led here
  std::atomic<uint64_t>* const bytes_read_;
};

// Now, as file times are.
timespec file_time();
// Whether a file with that mtime was modified after then. A time that is still to come says nothing. The
// kernel stamps files with the time of its last tick, so what is modified before the next one is not seen.
bool is_modified_since(timespec modified, timespec then);
// Returns after that tick, some milliseconds from now.
void wait_for_file_time();

using FilePtr = std::shared_ptr<const File>;

// How many descriptors the process may have (RLIMIT_NOFILE).
size_t most_descriptors();

class FilePool {
 public:
  // most_open: fewer are kept where they would be more than a quarter of most_descriptors(). bytes_read:
  // counts every byte read through the pool's files (Counters::source_bytes_read); may be null.
  explicit FilePool(size_t most_open = 256, std::atomic<uint64_t>* bytes_read = nullptr);
  ~FilePool();

  // From now on nothing else is opened: a path that leads out of bounds is unreadable. Before anything is
  // opened.
  void confine(Containment bounds);
  const Containment& bounds() const;

  // The open file, or null where nothing has that path (ENOENT, or a name that is too long to be one). Throws
  // unreadable for every other reason (a dangling link, as git-annex leaves where content was not fetched),
  // damaged where it is no regular file, changed where path was used before and is another file now. What is
  // absent is remembered too, the latest hundred thousand paths of it.
  FilePtr open_if_exists(const std::string& path);
  // The same, where absence is an error: not_found.
  FilePtr open(const std::string& path);
  // A whole small file; throws damaged where it is larger than most_bytes.
  Bytes read_whole(const std::string& path, uint64_t most_bytes);
  std::optional<Bytes> read_whole_if_exists(const std::string& path, uint64_t most_bytes);

  // Forgets everything (SIGUSR1 reopens the store).
  void clear();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plainfs
