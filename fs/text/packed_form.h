// The compressed form of a file, equal to what the usual writer of its format produces from the same values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "formats/core/base/bytes.h"

namespace plainfs {

// The destination of a compressed file. May throw anything; write() passes it on.
class PackedSink {
 public:
  virtual ~PackedSink() = default;
  virtual void write_at(uint64_t offset, ByteSpan bytes) = 0;
  // Fills `bytes` with the bytes written at `offset`, or zeros if none were.
  virtual void read_at(uint64_t offset, std::span<std::byte> bytes) = 0;
};

// A compressed form of a file. Const and thread-safe.
class PackedForm {
 public:
  virtual ~PackedForm() = default;
  // Returns the compression level that the usual writer of the format uses, from 1 to 9.
  virtual int usual_level() const = 0;
  // Returns the number of bytes that write() compresses, which is also the sum of the counts passed to
  // has_made.
  virtual uint64_t bytes() const = 0;
  // Writes the file, compressed on all workers. Returns its size. Throws Error, including Cancelled.
  virtual uint64_t write(int level, PackedSink& out,
                         const std::function<void(uint64_t bytes)>& has_made) const = 0;
};

}  // namespace plainfs
