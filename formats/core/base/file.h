// The bytes of one source: a file of this machine or an object of a remote server. Its content is fixed when
// it is opened. A source that changes is an error, so no reader sees a mix of old and new data.
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <span>
#include <string>

#include "formats/core/base/bytes.h"

namespace plainfs {

struct ByteRange {
  uint64_t offset;
  uint64_t size;
};

// A file that is open for reading. Thread-safe.
class File {
 public:
  virtual ~File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Returns its location, for messages.
  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  // Returns a number that differs between files and between versions of one file.
  uint64_t fingerprint() const { return fingerprint_; }

  // Returns the file's descriptor, or -1 if it has none. From then on the file keeps it open.
  virtual int descriptor() const { return -1; }
  // Returns whether each read is a round trip to a server.
  virtual bool is_remote() const { return false; }

  // Reads exactly out.size() bytes (or `size` bytes) from `offset`. Throws damaged if the file ends before
  // that, changed if it is no longer the file that was opened, and unreadable if the system fails.
  void read_at(uint64_t offset, std::span<std::byte> out) const;
  Bytes read_at(uint64_t offset, size_t size) const;
  // Announces ranges that will be read soon, so that they are fetched together: in joined requests if each
  // read is a round trip, all at once if the system reads a disk. Does not wait for them. Requires: the
  // ranges lie in the file and are ordered by offset.
  virtual void will_read(std::span<const ByteRange> /*ranges*/) const {}
  // Throws changed if path() is no longer this file. If a folder of the path was replaced, it may take some
  // milliseconds until that is seen.
  virtual void check_unchanged() const = 0;
  // Throws like check_unchanged(), but may rely on a check some milliseconds ago. For what was read before.
  virtual void check_unchanged_lately() const { check_unchanged(); }
  // Throws changed if the file is known to have been modified after `then`.
  virtual void check_unmodified_since(timespec /*then*/) const {}

 protected:
  File(std::string path, uint64_t size, uint64_t fingerprint)
      : path_(std::move(path)), size_(size), fingerprint_(fingerprint) {}

 private:
  // Reads like read_at. The range lies in the file.
  virtual void read(uint64_t offset, std::span<std::byte> out) const = 0;
  void check_range(uint64_t offset, size_t size) const;

  const std::string path_;
  const uint64_t size_;
  const uint64_t fingerprint_;
};

using FilePtr = std::shared_ptr<const File>;

// A file with the size and version of another one, for a class that reads it in its own way.
class DerivedFile : public File {
 public:
  int descriptor() const override { return file_->descriptor(); }
  bool is_remote() const override { return file_->is_remote(); }
  void will_read(std::span<const ByteRange> ranges) const override { file_->will_read(ranges); }
  void check_unchanged() const override { file_->check_unchanged(); }
  void check_unchanged_lately() const override { file_->check_unchanged_lately(); }
  void check_unmodified_since(timespec then) const override { file_->check_unmodified_since(then); }

 protected:
  explicit DerivedFile(FilePtr file)
      : File(file->path(), file->size(), file->fingerprint()), file_(std::move(file)) {}
  const File& file() const { return *file_; }

 private:
  const FilePtr file_;
};

// Returns `h` with `value` mixed in, for fingerprints. The order counts, and changing any bit changes about
// half of all bits.
inline uint64_t mixed(uint64_t h, uint64_t value) {
  h = (h ^ value) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

}  // namespace plainfs
