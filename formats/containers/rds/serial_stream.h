// The primitives of R's serialisation (R Internals, "Serialization Formats"; src/main/serialize.c): a header,
// then 32-bit integers, doubles and bytes, all big-endian (format X, "XDR") or all little-endian (format B).
#pragma once

#include <cstdint>
#include <string>

#include "formats/containers/rds/byte_source.h"
#include "formats/core/base/bytes.h"

namespace plainfs::rds {

class SerialStream {
 public:
  // Reads the header. more than most_bytes of stream are Error(unsupported). Throws damaged where source is
  // no such stream, unsupported for the text format and for versions other than 2 and 3. Requires: source
  // outlives this.
  SerialStream(ByteSource& source, uint64_t most_bytes);

  uint32_t version() const { return version_; }
  // Of the R that wrote it: "4.2.2".
  std::string writer() const;
  // The encoding of strings that are marked with none; empty in version 2.
  const std::string& native_encoding() const { return native_encoding_; }

  int32_t integer();
  // The length of a vector. Throws damaged where R would.
  uint64_t length();
  // Exactly size bytes. Memory grows with what the stream holds, not with what it announces.
  Bytes bytes(uint64_t size);
  // count native numbers of size bytes each.
  Bytes numbers(uint64_t count, size_t size);
  void skip(uint64_t size);
  // Reads what is left, so that checksums at the end are looked at.
  void finish();

 private:
  void read(std::span<std::byte> out);
  size_t read_some(std::span<std::byte> out);
  void read_header();

  ByteSource& source_;
  uint64_t bytes_left_;
  bool big_endian_ = true;
  uint32_t version_ = 0;
  uint32_t writer_ = 0;
  std::string native_encoding_;
  Bytes buffer_;
  ByteSpan unread_;  // in buffer_
};

}  // namespace plainfs::rds
