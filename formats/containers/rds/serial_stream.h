// The primitives of R's serialisation (R Internals, "Serialization Formats"; src/main/serialize.c): words,
// doubles and bytes. They are all big-endian (format X, "XDR"), all little-endian (format B), or text with
// one token per line (format A).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/containers/rds/known_vectors.h"
#include "formats/core/base/bytes.h"
#include "formats/core/unpacked/unpacked_bytes.h"

namespace plainfs::rds {

using unpacked::ByteSource;
using unpacked::Compression;
using unpacked::UnpackedBytes;

enum class Form { big_endian, little_endian, text };

class SerialStream {
 public:
  // Reads source from its beginning, which has a header. Reading more than max_bytes throws
  // Error(unsupported). Requires: source outlives this.
  SerialStream(ByteSource& source, uint64_t max_bytes);
  // Reads data after a header. source begins at byte position of the stream.
  SerialStream(ByteSource& source, Form form, uint64_t position);

  // Reads the header, after skipping the first line of a file of save(). Throws damaged if there is no
  // header, unsupported for versions other than 2 and 3.
  void read_header();

  Form form() const { return form_; }
  uint32_t version() const { return version_; }
  // Returns the version of the R that wrote it: "4.2.2".
  std::string writer() const;
  // Returns the encoding of strings that are not marked with one. Empty in version 2.
  const std::string& native_encoding() const { return native_encoding_; }
  // Returns the number of bytes taken from the source so far.
  uint64_t position() const { return position_; }

  int32_t integer();
  double real();
  // Reads a byte of a raw vector.
  uint8_t byte();
  // Reads the length of a vector. Throws damaged if R would fail.
  uint64_t length();
  // Reads a string of size bytes. Memory grows with the data in the stream, not with the announced size. The
  // result is valid until the next call.
  std::string_view text(uint64_t size);
  // Reads count numbers of size bytes each (1, 4 or 8) in native byte order. Requires: the form is not text.
  Bytes numbers(uint64_t count, size_t size);
  void skip(uint64_t size);
  // Announces that reads may resume here (ByteSource::keep_place).
  void keep_place() { source_.keep_place(position_); }
  // Reads the remaining bytes, so that checksums at the end are checked. Returns their number.
  uint64_t finish();

 private:
  std::string line(size_t most);
  void fill();
  std::byte next();
  void read(std::span<std::byte> out);
  size_t read_some(std::span<std::byte> out);
  std::string_view word();
  void skip_blanks();
  void append_escaped(std::string& text);

  ByteSource& source_;
  uint64_t bytes_left_;
  uint64_t position_ = 0;
  Form form_ = Form::big_endian;
  uint32_t version_ = 0;
  uint32_t writer_ = 0;
  std::string native_encoding_;
  Bytes buffer_;
  ByteSpan unread_;  // in buffer_
  std::string text_;
};

}  // namespace plainfs::rds
