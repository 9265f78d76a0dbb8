// A reader of Thrift's compact protocol (apache/thrift, doc/specs/thrift-compact-protocol.md), the format of
// Parquet's headers. It trusts nothing: a count is not larger than the bytes that are left, and structs are
// nested to a limited depth. Unknown fields are skipped.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/core/base/cursor.h"
#include "formats/core/base/leb128.h"

namespace plainfs::parquet {

enum class ThriftType : uint8_t {
  truth = 1,
  falsehood = 2,
  byte = 3,
  int16 = 4,
  int32 = 5,
  int64 = 6,
  real = 7,
  binary = 8,
  list = 9,
  set = 10,
  map = 11,
  record = 12
};

class ThriftReader {
 public:
  explicit ThriftReader(ByteSpan bytes) : in_(bytes) {}

  // Returns the number of bytes that were read.
  size_t position() const { return in_.position(); }

  // Reads a struct. Calls visit(id, type) for each field: it reads the value and returns true, or returns
  // false without reading, which skips the value.
  template <class Visit>
  void record(Visit&& visit) {
    const Level level(*this);
    for (int64_t id = 0;;) {
      const uint8_t header = in_.byte();
      if (header == 0) return;
      const auto type = static_cast<ThriftType>(header & kLowNibble);
      id = (header >> 4) != 0 ? id + (header >> 4) : integer();
      if (!visit(id, type)) skip(type, true);
    }
  }

  // Each of these reads a field of one kind. It returns false, without reading, if the type is another one.
  template <class Visit>
  bool record(ThriftType type, Visit&& visit) {
    if (type != ThriftType::record) return false;
    record(visit);
    return true;
  }
  bool get(ThriftType type, bool& value) const {
    if (type != ThriftType::truth && type != ThriftType::falsehood) return false;
    value = type == ThriftType::truth;
    return true;
  }
  bool get(ThriftType type, int64_t& value) {
    if (type == ThriftType::byte)
      value = static_cast<int8_t>(in_.byte());
    else if (type == ThriftType::int16 || type == ThriftType::int32 || type == ThriftType::int64)
      value = integer();
    else
      return false;
    return true;
  }
  // The text belongs to the bytes that are read.
  bool get(ThriftType type, std::string_view& value) {
    if (type != ThriftType::binary) return false;
    value = in_.text(varint());
    return true;
  }
  // Reads a list of elements of one type. Calls begin(count), and then visit() for each element, which reads
  // it. Elements of another type are skipped.
  template <class Begin, class Visit>
  bool list(ThriftType type, ThriftType element, Begin&& begin, Visit&& visit) {
    if (type != ThriftType::list && type != ThriftType::set) return false;
    const Level level(*this);
    const Items items = items_header();
    if (items.type != element) {
      skip_items(items);
      return true;
    }
    begin(items.count);
    for (uint64_t i = 0; i < items.count; ++i) visit();
    return true;
  }
  std::string_view binary_element() { return in_.text(varint()); }

 private:
  static constexpr uint8_t kLowNibble = 15;
  static constexpr int kMaxDepth = 64;

  struct Level {
    explicit Level(ThriftReader& reader) : reader_(reader) {
      if (++reader_.depth_ > kMaxDepth) throw damaged("a header is nested more than {} deep", kMaxDepth);
    }
    ~Level() { --reader_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ThriftReader& reader_;
  };
  struct Items {
    uint64_t count;
    ThriftType type;
  };

  uint64_t varint() { return read_leb128(in_); }
  int64_t integer() {
    const uint64_t zigzag = varint();
    return static_cast<int64_t>(zigzag >> 1 ^ (0 - (zigzag & 1)));
  }
  Items items_header() {
    constexpr uint64_t kLong = 15;
    const uint8_t header = in_.byte();
    uint64_t count = header >> 4;
    if (count == kLong) count = varint();
    check_count(count);
    return {count, static_cast<ThriftType>(header & kLowNibble)};
  }
  void check_count(uint64_t count) const {
    if (count > in_.remaining())
      throw damaged("a list in a header has {} elements in {} bytes", count, in_.remaining());
  }
  void skip_items(const Items& items) {
    for (uint64_t i = 0; i < items.count; ++i) skip(items.type, false);
  }
  void skip_map() {
    const uint64_t count = varint();
    if (count == 0) return;
    check_count(count);
    const uint8_t types = in_.byte();
    for (uint64_t i = 0; i < count; ++i) {
      skip(static_cast<ThriftType>(types >> 4), false);
      skip(static_cast<ThriftType>(types & kLowNibble), false);
    }
  }
  // Skips a value. The value of a truth that is a field is in its type.
  void skip(ThriftType type, bool is_field) {
    constexpr uint64_t kRealBytes = 8;
    const Level level(*this);
    switch (type) {
      case ThriftType::truth:
      case ThriftType::falsehood:
        if (!is_field) in_.skip(1);
        return;
      case ThriftType::byte:
        return in_.skip(1);
      case ThriftType::int16:
      case ThriftType::int32:
      case ThriftType::int64:
        varint();
        return;
      case ThriftType::real:
        return in_.skip(kRealBytes);
      case ThriftType::binary:
        return in_.skip(varint());
      case ThriftType::list:
      case ThriftType::set:
        return skip_items(items_header());
      case ThriftType::map:
        return skip_map();
      case ThriftType::record:
        return record([](int64_t, ThriftType) { return false; });
    }
    throw damaged("a header has a value of the unknown type {}", static_cast<int>(type));
  }

  Cursor in_;
  int depth_ = 0;
};

}  // namespace plainfs::parquet
