// Writes R serialisations by hand, value by value.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "formats/containers/rds/reader.h"
#include "formats/core/base/cursor.h"
#include "formats/core/unpacked/byte_source.h"
#include "tests/support/bytes_file.h"

namespace plainfs::rds {

inline constexpr int32_t kWithAttributes = 1 << 9;
inline constexpr int32_t kWithTag = 1 << 10;
inline constexpr int32_t kNilCode = 254;

class RStream {
 public:
  explicit RStream(bool big_endian = true) : big_endian_(big_endian) {}

  RStream& header(int32_t version = 3) {
    text += big_endian_ ? "X\n" : "B\n";
    i(version).i(0x00040202).i(version == 2 ? 0x00020300 : 0x00030500);
    if (version == 3) i(5).raw("UTF-8");
    return *this;
  }
  RStream& raw(const std::string& bytes) {
    text += bytes;
    return *this;
  }
  RStream& i(int32_t value) { return number(value); }
  RStream& real(double value) {
    int64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return number(bits);
  }
  RStream& nil() { return i(kNilCode); }
  // A CHARSXP. levels: 64 is ASCII, 8 UTF-8, 4 latin1, 2 bytes.
  RStream& chars(const std::string& value, int32_t levels = 64) {
    return i(levels << 12 | 9).i(static_cast<int32_t>(value.size())).raw(value);
  }
  RStream& symbol(const std::string& name) { return i(1).chars(name); }
  RStream& integers(const std::vector<int32_t>& values) {
    i(13).i(static_cast<int32_t>(values.size()));
    for (const int32_t value : values) i(value);
    return *this;
  }
  RStream& logical(int32_t value) { return i(10).i(1).i(value); }
  RStream& reals(const std::vector<double>& values) {
    i(14).i(static_cast<int32_t>(values.size()));
    for (const double value : values) real(value);
    return *this;
  }
  RStream& strings(const std::vector<std::string>& values, int32_t flags = 0) {
    i(16 | flags).i(static_cast<int32_t>(values.size()));
    for (const std::string& value : values) chars(value);
    return *this;
  }
  // Precedes a value of a pairlist.
  RStream& tag(const std::string& name) { return i(2 | kWithTag).symbol(name); }
  RStream& list(int32_t count, int32_t flags = 0) { return i(19 | flags).i(count); }
  // Follows the items of a list with attributes.
  RStream& names(const std::vector<std::string>& values) { return tag("names").strings(values).nil(); }
  // Follows the slots of an S4 object: its class, and the end of the slots.
  RStream& class_of(const std::string& name, const std::string& package) {
    return tag("class").strings({name}, kWithAttributes).tag("package").strings({package}).nil().nil();
  }
  RStream& s4() { return i(25 | 1 << 8 | kWithAttributes); }

  // Begins an environment without an enclosure, before its variables. An unhashed one has them in a pairlist,
  // followed by nil for the table, and nil for the attributes.
  RStream& environment() { return i(4).i(0).i(242); }
  // A reference to an earlier object, by its number.
  RStream& again(int32_t number) { return i(number << 8 | 255); }

  std::string text;

 private:
  template <class T>
  RStream& number(T value) {
    if (big_endian_) value = byte_swapped(value);
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }

  bool big_endian_;
};

// An unpacked-uint-matrix of 3 rows and 2 columns, in R's memory layout, without the header.
inline RStream& small_object(RStream& out, const std::string& version = "unpacked-uint-matrix-v2") {
  out.s4();
  out.tag("val").integers({5, 1, INT32_MIN});  // NA_integer_ is the value 2^31
  out.tag("index").integers({0, 2, 1});
  out.tag("idxptr").reals({0, 2, 3});
  out.tag("version").strings({version});
  out.tag("dim").integers({3, 2});
  out.tag("transpose").logical(0);
  out.tag("dimnames").list(2).strings({"a", "b", "c"}).nil();
  return out.class_of("UnpackedMatrixMem_uint32_t", "BPCells");
}

// Returns the value of a file with those bytes. It is valid as long as `context`.
inline ValuePtr read_value(const std::string& text, Context& context,
                           uint64_t max_bytes = uint64_t{1} << 30) {
  const Compression compression = unpacked::compression_of(as_byte_span(std::string_view(text).substr(0, 6)));
  const auto bytes =
      std::make_shared<UnpackedBytes>(std::make_shared<BytesFile>(text), compression, context, "the values");
  const std::unique_ptr<ByteSource> source = bytes->first_pass();
  SerialStream stream(*source, max_bytes);
  stream.read_header();
  LongVectors vectors;
  ValuePtr value = Reader(stream, bytes, vectors).read();
  stream.finish();
  return value;
}

}  // namespace plainfs::rds
