// A regular file of this machine. What it is, is told by its device, inode, size, mtime and ctime.
#pragma once

#include <sys/stat.h>

#include <atomic>

#include "formats/base/error.h"
#include "formats/base/file.h"

namespace plainfs {

class LocalFile : public File {
 public:
  // Takes over the descriptor, also where it throws: damaged where it is no regular file. bytes_read: where
  // the bytes of read_at are added up; may be null.
  static FilePtr adopt(int descriptor, std::string path, std::atomic<uint64_t>* bytes_read = nullptr);
  LocalFile(int descriptor, std::string path, const struct stat& status, std::atomic<uint64_t>* bytes_read);
  ~LocalFile() override;

  int descriptor() const override { return descriptor_; }
  // Where a folder on the way was replaced, some milliseconds may pass before that is seen.
  void check_unchanged() const override;
  void check_unmodified_since(timespec then) const override;

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override;
  void check_path(uint64_t links) const;

  const int descriptor_;
  const timespec modified_;
  const uint64_t links_;
  mutable std::atomic<int64_t> path_checked_{0};  // the tick at which the path last led here
  std::atomic<uint64_t>* const bytes_read_;
};

// unreadable: "PATH: the system's words for error".
Error system_error(const std::string& path, int error);

}  // namespace plainfs
