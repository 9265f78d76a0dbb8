// The primitives of R's serialisation (R Internals, "Serialization Formats"; src/main/serialize.c): words,
// doubles and bytes, all big-endian (format X, "XDR"), all little-endian (format B), or as text, a token a
// line (format A).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/containers/rds/byte_source.h"
#include "formats/core/base/bytes.h"

namespace plainfs::rds {

enum class Form { big_endian, little_endian, text };

class SerialStream {
 public:
  // Of a source from its beginning, before any header. More than most_bytes of it are Error(unsupported).
  // Requires: source outlives this.
  SerialStream(ByteSource& source, uint64_t most_bytes);
  // Of what follows a header; source begins at byte position of the stream.
  SerialStream(ByteSource& source, Form form, uint64_t position);

  // Reads the header, after the first line of a file of save(), which is skipped. Throws damaged where there
  // is none, unsupported for versions other than 2 and 3.
  void read_header();

  Form form() const { return form_; }
  // Whether the file is one of save(): a pairlist of objects.
  bool is_workspace() const { return is_workspace_; }
  uint32_t version() const { return version_; }
  // Of the R that wrote it: "4.2.2".
  std::string writer() const;
  // The encoding of strings that are marked with none; empty in version 2.
  const std::string& native_encoding() const { return native_encoding_; }
  // Bytes of the source that were taken so far.
  uint64_t position() const { return position_; }

  int32_t integer();
  double real();
  // A byte of a raw vector.
  uint8_t byte();
  // The length of a vector. Throws damaged where R would.
  uint64_t length();
  // The bytes of a string of that length. Memory grows with what the stream holds, not with what it
  // announces. What is returned stays as it is until the next call of anything.
  std::string_view text(uint64_t size);
  // count native numbers of size bytes each (1, 4 or 8). Requires: the form is not text.
  Bytes numbers(uint64_t count, size_t size);
  void skip(uint64_t size);
  // That reading may begin again here (ByteSource::keep_place).
  void keep_place() { source_.keep_place(position_); }
  // Reads what is left, so that checksums at the end are looked at. Returns how many bytes that were.
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
  bool is_workspace_ = false;
  uint32_t version_ = 0;
  uint32_t writer_ = 0;
  std::string native_encoding_;
  Bytes buffer_;
  ByteSpan unread_;  // in buffer_
  std::string text_;
};

}  // namespace plainfs::rds
