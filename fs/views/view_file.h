// One file under the mountpoint: an exact size and random access, nothing about how it came to be.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "formats/model/bytes.h"

namespace plainfs {

// Parts of cached buffers, in order: a reply without a copy. The buffers live as long as the Slices.
struct Slices {
  std::vector<iovec> parts;
  std::vector<std::shared_ptr<const void>> owners;

  size_t size() const;
  void add(ByteSpan part, std::shared_ptr<const void> owner);
  void copy_to(std::span<std::byte> out) const;  // Requires: out.size() >= size()
};

// Thread-safe. Errors are thrown, from either call, for as long as they last.
class ViewFile {
 public:
  virtual ~ViewFile() = default;
  virtual uint64_t size() = 0;
  // Bytes [offset, offset + size), fewer only at the end of the file.
  virtual Slices read(uint64_t offset, size_t size) = 0;
};

}  // namespace plainfs
