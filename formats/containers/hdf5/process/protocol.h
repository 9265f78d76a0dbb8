// The messages between the daemon and libhdf5's process, which run the same program. The daemon asks, and
// libhdf5's process answers or fails. Meanwhile the process may put questions about the bytes of files, which
// only the daemon opens. Each is answered at once. The sender knows the form of the reply, so a message only
// contains its kind.
//
// clang-format off
//   ask                                     answer, after u64 bytes that were read by descriptor and u64 bytes of
//                                           memory that the process has for itself, 0 if unknown
//   settings    flag plugins, u64 bytes     text: why it is not confined, or empty
//               of the shared memory, sent with its descriptor, or 0,
//               u32 milliseconds for a tree
//   open        u64 file, text location     OpenedFacts
//   close       u64 file                    nothing
//   objects     u64 file, u64s              each: flag failed, error or object
//   links       u64 file, u64 group         links
//   find_link   u64 file, u64 group, text   optional link
//   attributes  u64 file, u64s              the first ones, or each: flag failed, error or list of attributes
//   attribute   u64 file, u64 object, text  optional attribute
//   tree        u64 file, u64 object,       the object and those below it, nearest first, up to that number and
//               u64 objects                 other limits, each: u64 address, known object
//   read        u64 file, u64 dataset,      flag: the elements, dense, are at the start of the shared
//               u64 element size,           memory; else they follow
//               shape origin, shape extent
//   read_chunk  u64 file, u64 dataset,      optional chunk
//               shape origin
//
//   question                                reply, or refused with an error
//   open_source   text location             flag exists, then u64 source, text path, u64 size, u64 fingerprint,
//                                           flag local; sent with its descriptor
//   descriptor    text location             flag exists; a descriptor
//   check_file    text location             nothing: the file is the one that was opened
//   read_source   u64 source, u64 offset,   the bytes
//                 u64 size
//   check_source, forget_source  u64 source nothing
// clang-format on
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/base/cursor.h"

namespace plainfs::hdf5 {

enum class Ask : uint32_t {
  settings = 1,
  open,
  close,
  objects,
  links,
  find_link,
  attributes,
  attribute,
  tree,
  read,
  read_chunk,
};

// The largest answer to Ask::tree, in bytes. It is kept while the file is open.
inline constexpr size_t kMostOfTree = 128 << 10;

enum class Answer : uint32_t { answer = 100, failure, out_of_memory };

enum class Question : uint32_t {
  open_source = 200,
  descriptor,
  check_file,
  read_source,
  check_source,
  forget_source,
};

enum class Reply : uint32_t { reply = 300, refused };

// The encoding of plain values in a message: numbers little-endian, lists and texts after their count. A
// Cursor reads them and checks every access.

class Writer {
 public:
  template <std::integral T>
  void number(T value) {
    if constexpr (std::endian::native != std::endian::little) value = byte_swapped(value);
    raw(std::as_bytes(std::span(&value, 1)));
  }
  template <class E>
  requires std::is_enum_v<E>
  void choice(E value) { number(static_cast<uint8_t>(value)); }
  void flag(bool value) { number(static_cast<uint8_t>(value)); }
  void text(std::string_view value) { sized(as_byte_span(value)); }
  void sized(ByteSpan value) {
    number(uint64_t{value.size()});
    raw(value);
  }
  // Appends size bytes and returns them. The caller must fill them before any other call.
  std::span<std::byte> room(size_t size) {
    bytes_.resize(bytes_.size() + size);
    return std::span(bytes_).last(size);
  }
  void raw(ByteSpan value) { bytes_.insert(bytes_.end(), value.begin(), value.end()); }

  const Bytes& bytes() const { return bytes_; }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

// Reads a value of an enumeration from 0 to last. Throws damaged for any other.
template <class E>
E read_choice(Cursor& in, E last) {
  const uint8_t value = in.byte();
  if (value > static_cast<uint8_t>(last))
    throw damaged("invalid choice {}, expected at most {}", value, static_cast<uint8_t>(last));
  return static_cast<E>(value);
}

inline bool read_flag(Cursor& in) {
  return in.byte() != 0;
}

inline ByteSpan read_sized(Cursor& in) {
  return in.bytes(in.little<uint64_t>());
}

inline std::string read_text(Cursor& in) {
  return std::string(as_text(read_sized(in)));
}

// Reads the number of values that follow. Each takes at least one byte, so there are no more values than
// bytes.
inline size_t read_count(Cursor& in) {
  const auto count = in.little<uint64_t>();
  if (count > in.remaining()) throw damaged("{} values cannot be in {} bytes", count, in.remaining());
  return count;
}

template <class T, class Write>
void write_list(Writer& out, const std::vector<T>& values, Write&& write) {
  out.number(uint64_t{values.size()});
  for (const T& value : values) write(out, value);
}

template <class T, class Read>
std::vector<T> read_list(Cursor& in, Read&& read) {
  std::vector<T> values;
  for (size_t count = read_count(in); count > 0; --count) values.push_back(read(in));
  return values;
}

template <class T, class Write>
void write_optional(Writer& out, const std::optional<T>& value, Write&& write) {
  out.flag(value.has_value());
  if (value) write(out, *value);
}

template <class T, class Read>
std::optional<T> read_optional(Cursor& in, Read&& read) {
  if (!read_flag(in)) return std::nullopt;
  return read(in);
}

}  // namespace plainfs::hdf5
