// The bytes of one source, wherever they lie: a file of this machine, or an object of a server elsewhere.
// What was opened stays what it is: a source that changes is an error, so no reader is shown a mix of old
// and new.
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

// Open for reading. Safe from any thread.
class File {
 public:
  virtual ~File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Where it is, for messages.
  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  // Tells it from every other file, and from what it was before it was changed, in one number.
  uint64_t fingerprint() const { return fingerprint_; }

  // Of the system, where it has one; else -1. From then on the file keeps it.
  virtual int descriptor() const { return -1; }
  // Whether each read is a round trip to a server.
  virtual bool is_remote() const { return false; }

  // Exactly out.size() bytes from offset. Throws damaged where the file ends before that, changed where it is
  // no longer what was opened, unreadable where the system fails.
  void read_at(uint64_t offset, std::span<std::byte> out) const;
  Bytes read_at(uint64_t offset, size_t size) const;
  // That these will be read soon, so that they are fetched together: where each read is a round trip, in
  // joined requests; where the system reads a disk, all at once. The call does not wait for them. Requires:
  // they lie in the file, by offset.
  virtual void will_read(std::span<const ByteRange> /*ranges*/) const {}
  // Throws changed where what is at path is no longer this file. Where a folder on the way was replaced, some
  // milliseconds may pass before that is seen.
  virtual void check_unchanged() const = 0;
  // Throws changed where the file is known to have been modified after then.
  virtual void check_unmodified_since(timespec /*then*/) const {}

 protected:
  File(std::string path, uint64_t size, uint64_t fingerprint)
      : path_(std::move(path)), size_(size), fingerprint_(fingerprint) {}

 private:
  // As read_at, for a range that lies in the file.
  virtual void read(uint64_t offset, std::span<std::byte> out) const = 0;
  void check_range(uint64_t offset, size_t size) const;

  const std::string path_;
  const uint64_t size_;
  const uint64_t fingerprint_;
};

using FilePtr = std::shared_ptr<const File>;

// Mixes a value into a fingerprint: order counts, and a bit changed anywhere changes about half of all bits.
inline uint64_t mixed(uint64_t h, uint64_t value) {
  h = (h ^ value) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

}  // namespace plainfs
