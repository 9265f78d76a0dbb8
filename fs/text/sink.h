// Destinations for the text of a view. A view has one template emit(block, sink). A ByteSink receives its
// bytes and a CountingSink their number, so that sizes and bytes always come from the same code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "formats/core/base/error.h"
#include "formats/core/text/number_runs.h"
#include "formats/core/text/number_text.h"

namespace plainfs {

class CountingSink {
 public:
  void put(char) { ++size_; }
  void put(std::string_view text) { size_ += text.size(); }
  template <class T>
  void put_number(T value) {
    size_ += number_length(value);
  }
  // Writes each number preceded by `before`.
  template <class T>
  void put_numbers(std::span<const T> values, std::string_view before) {
    size_ += values.size() * before.size() + number_lengths(values);
  }
  // Counts `size` bytes without the text itself.
  void skip(uint64_t size) { size_ += size; }

  uint64_t size() const { return size_; }

 private:
  uint64_t size_ = 0;
};

// Appends to a string, for heads and other short text.
class StringSink {
 public:
  explicit StringSink(std::string& out) : out_(out) {}
  void put(char c) { out_ += c; }
  void put(std::string_view text) { out_ += text; }
  template <class T>
  void put_number(T value) {
    append_number(value, out_);
  }

 private:
  std::string& out_;
};

// Writes into a buffer of fixed size. Throws an Error if the text does not fit: the block is longer than
// measured.
class ByteSink {
 public:
  // Bytes that the buffer must have beyond the text, because numbers are written in pieces of fixed size.
  static constexpr size_t kMargin = 4 * kNumberTextMax;

  // Requires: size + kMargin writable bytes at `begin`.
  ByteSink(char* begin, size_t size) : begin_(begin), at_(begin), end_(begin + size) {}

  void put(char c) { *reserve(1) = c, ++at_; }
  void put(std::string_view text) {
    char* const at = reserve(text.size());
    if (!text.empty()) std::memcpy(at, text.data(), text.size());  // the data of an empty view may be null
    at_ += text.size();
  }
  template <class T>
  void put_number(T value) {
    at_ = write_number(reserve(0), value);
  }

  template <class T>
  void put_numbers(std::span<const T> values, std::string_view before) {
    constexpr size_t kAtOnce = 128;
    const size_t most = kNumberTextMax + before.size();  // per number
    while (!values.empty()) {
      const size_t some = std::min(kAtOnce, values.size());
      if (room() >= some * most) {
        at_ = write_numbers(at_, values.first(some), before);
      } else {
        for (const T value : values.first(some)) {
          put(before);
          put_number(value);
        }
      }
      values = values.subspan(some);
    }
  }

  // Returns the address for the next text, with room for `size` bytes and the margin, for loops that write
  // directly. They report the end with set_end().
  char* reserve(size_t size) {
    if (at_ > end_ || size > static_cast<size_t>(end_ - at_)) {
      has_overflowed_ = true;
      throw unreadable("a block of text has grown since it was measured");
    }
    return at_;
  }
  // Returns whether the buffer was too small for the text.
  bool has_overflowed() const { return has_overflowed_; }
  char* at() const { return at_; }
  void set_end(char* end) { at_ = end; }
  // Returns the bytes of text that still fit.
  size_t room() const { return at_ > end_ ? 0 : static_cast<size_t>(end_ - at_); }

  uint64_t size() const { return static_cast<uint64_t>(at_ - begin_); }

 private:
  char* begin_;
  char* at_;
  char* end_;
  bool has_overflowed_ = false;
};

}  // namespace plainfs
