// The compressed form of a file: what the writer of its format writes of the same values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "formats/core/base/bytes.h"

namespace plainfs {

// Where a compressed file is written. May throw anything, which write() passes on.
class PackedSink {
 public:
  virtual ~PackedSink() = default;
  virtual void write_at(uint64_t offset, ByteSpan bytes) = 0;
  // Fills bytes with what was written; zeros where nothing was.
  virtual void read_at(uint64_t offset, std::span<std::byte> bytes) = 0;
};

// const and thread-safe.
class PackedForm {
 public:
  virtual ~PackedForm() = default;
  // The level of compression that the format's own writer takes, from 1 to 9.
  virtual int usual_level() const = 0;
  // Bytes that write() compresses; what it tells has_made adds up to as many.
  virtual uint64_t bytes() const = 0;
  // Writes the file, compressed on all workers. Returns its size. Throws Error, and Cancelled.
  virtual uint64_t write(int level, PackedSink& out,
                         const std::function<void(uint64_t bytes)>& has_made) const = 0;
};

}  // namespace plainfs
