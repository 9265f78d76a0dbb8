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

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "formats/containers/hdf5/file_layout.h"
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
inline constexpr size_t kMaxOfTree = 128 << 10;

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

// The encoding of values in a message: numbers little-endian, truth values and enumerations in a byte, lists
// and texts after their count, optional values after a flag. A value that has parts is described once for
// both directions, by a function describe(wire, value): `wire(part, ...)` writes the parts if wire is a
// Writer, and reads them if it is a Reader. What is read is not trusted: a Reader checks every access, and a
// description checks what it has read.

// A Value that is written or read.
template <class T, class Value>
concept Some = std::same_as<std::remove_const_t<T>, Value>;

template <class T>
concept ListOnWire = requires(T list) {
  list.emplace_back();
};
template <class T>
concept OptionalOnWire = requires(T value) {
  value.has_value();
};

class Writer {
 public:
  static constexpr bool kReads = false;

  template <class... Parts>
  void operator()(const Parts&... parts) {
    (put(parts), ...);
  }
  // last: the greatest value of the enumeration.
  template <class E>
  void choice(E value, E /*last*/) {
    put(static_cast<uint8_t>(value));
  }
  void raw(ByteSpan value) { bytes_.insert(bytes_.end(), value.begin(), value.end()); }
  // Appends size bytes and returns them. The caller must fill them before any other call.
  std::span<std::byte> room(size_t size) {
    bytes_.resize(bytes_.size() + size);
    return std::span(bytes_).last(size);
  }

  // The number of types around the one that is being described.
  int& depth() { return depth_; }

  const Bytes& bytes() const { return bytes_; }
  Bytes take() { return std::move(bytes_); }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::same_as<T, bool>) {
      put(static_cast<uint8_t>(value));
    } else if constexpr (std::integral<T>) {
      const T stored = std::endian::native == std::endian::little ? value : byte_swapped(value);
      raw(std::as_bytes(std::span(&stored, 1)));
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      sized(as_byte_span(value));
    } else if constexpr (std::same_as<T, Bytes>) {
      sized(value);
    } else if constexpr (ListOnWire<T>) {
      put(uint64_t{value.size()});
      for (const auto& each : value) put(each);
    } else if constexpr (OptionalOnWire<T>) {
      put(value.has_value());
      if (value) put(*value);
    } else {
      describe(*this, value);
    }
  }
  void sized(ByteSpan value) {
    put(uint64_t{value.size()});
    raw(value);
  }

  Bytes bytes_;
  int depth_ = 0;
};

class Reader;
Error read_error(Reader& in);

class Reader : public Cursor {
 public:
  static constexpr bool kReads = true;

  // layout: of the file that the message is about, if it contains types.
  explicit Reader(ByteSpan bytes, const FileLayout& layout = {}) : Cursor(bytes), layout_(layout) {}

  template <class... Parts>
  void operator()(Parts&... parts) {
    (get(parts), ...);
  }
  // Throws damaged if the value is greater than last.
  template <class E>
  void choice(E& value, E last) {
    const uint8_t stored = byte();
    if (stored > static_cast<uint8_t>(last))
      throw damaged("invalid choice {}, expected at most {}", stored, static_cast<uint8_t>(last));
    value = static_cast<E>(stored);
  }
  template <class T>
  T read() {
    T value{};
    get(value);
    return value;
  }
  // Reads the number of values that follow. Each takes at least one byte, so there are no more values than
  // bytes.
  size_t count() {
    const auto count = little<uint64_t>();
    if (count > remaining()) throw damaged("{} values cannot be in {} bytes", count, remaining());
    return count;
  }

  int& depth() { return depth_; }
  const FileLayout& layout() const { return layout_; }

 private:
  template <class T>
  void get(T& value) {
    if constexpr (std::same_as<T, bool>) {
      value = byte() != 0;
    } else if constexpr (std::integral<T>) {
      value = little<T>();
    } else if constexpr (std::same_as<T, std::string>) {
      value = text(little<uint64_t>());
    } else if constexpr (std::same_as<T, Bytes>) {
      const ByteSpan stored = bytes(little<uint64_t>());
      value.assign(stored.begin(), stored.end());
    } else if constexpr (ListOnWire<T>) {
      value.clear();
      for (size_t left = count(); left > 0; --left) get(value.emplace_back());
    } else if constexpr (std::same_as<T, std::optional<Error>>) {
      value.reset();
      if (byte() != 0) value = read_error(*this);
    } else if constexpr (OptionalOnWire<T>) {
      value.reset();
      if (byte() != 0) get(value.emplace());
    } else {
      describe(*this, value);
    }
  }

  const FileLayout layout_;
  int depth_ = 0;
};

// Unlike other values, an Error has no empty state that a Reader could fill.
inline void describe(Writer& out, const Error& error) {
  out.choice(error.code(), Errc::unknown_format);
  out(std::string_view(error.what()));
}
inline Error read_error(Reader& in) {
  Errc code{};
  in.choice(code, Errc::unknown_format);
  return Error(code, in.read<std::string>());
}

}  // namespace plainfs::hdf5
