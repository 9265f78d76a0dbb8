// A writer for Thrift's compact protocol (apache/thrift, doc/specs/thrift-compact-protocol.md), the format of
// Parquet's headers. A field is (difference of ids << 4 | type); integers are zigzag varints.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/base/encode.h"

namespace plainfs {

// Writes the fields of a struct in ascending order of ids (at most 15 apart). Requires: every begun struct is
// ended, including the outermost one.
class ThriftWriter {
 public:
  void boolean(int id, bool value) { field(id, value ? 1 : 2); }
  void byte(int id, int8_t value) {
    field(id, 3);
    out_ += static_cast<char>(value);
  }
  void int16(int id, int16_t value) { integer(id, 4, value); }
  void int32(int id, int32_t value) { integer(id, 5, value); }
  void int64(int id, int64_t value) { integer(id, 6, value); }
  void binary(int id, std::string_view bytes) {
    field(id, 8);
    put_binary(bytes);
  }
  void int32_list(int id, const std::vector<int32_t>& values) {
    list(id, 5, values.size());
    for (const int32_t value : values) zigzag(value);
  }
  void binary_list(int id, const std::vector<std::string>& values) {
    list(id, 8, values.size());
    for (const std::string& value : values) put_binary(value);
  }
  // Begins a list. `count` pairs of begin_element() and end() must follow.
  void struct_list(int id, size_t count) { list(id, 12, count); }
  void begin_element() { last_ids_.push_back(0); }
  void begin(int id) {
    field(id, 12);
    last_ids_.push_back(0);
  }
  // bytes: the fields of a struct and its end, as returned by take().
  void encoded_struct(int id, std::string_view bytes) {
    field(id, 12);
    out_ += bytes;
  }
  void end() {
    out_ += '\0';
    last_ids_.pop_back();
  }
  std::string take() { return std::move(out_); }

 private:
  void field(int id, int type) {
    out_ += static_cast<char>((id - last_ids_.back()) << 4 | type);
    last_ids_.back() = id;
  }
  void integer(int id, int type, int64_t value) {
    field(id, type);
    zigzag(value);
  }
  void zigzag(int64_t value) {
    append_leb128(out_, static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  void list(int id, int type, size_t count) {
    constexpr size_t kLong = 15;
    field(id, 9);
    out_ += static_cast<char>((count < kLong ? count : kLong) << 4 | static_cast<size_t>(type));
    if (count >= kLong) append_leb128(out_, count);
  }
  void put_binary(std::string_view bytes) {
    append_leb128(out_, bytes.size());
    out_ += bytes;
  }

  std::string out_;
  std::vector<int> last_ids_{0};  // of each open struct
};

}  // namespace plainfs
