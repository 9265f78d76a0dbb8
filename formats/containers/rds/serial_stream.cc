#include "formats/containers/rds/serial_stream.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/model/elements/r_missing.h"
#include "formats/core/text/parsed_number.h"

namespace plainfs::rds {
namespace {

constexpr size_t kBufferBytes = 64 << 10;
constexpr uint64_t kGrowBytes = 1 << 20;
constexpr size_t kMaxWordBytes = 128;  // the size of R's own buffer

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

Error too_much() {
  return unsupported("the file has too much data when decompressed");
}
Error ends_early() {
  return damaged("the R serialisation is truncated");
}

}  // namespace

SerialStream::SerialStream(ByteSource& source, uint64_t max_bytes)
    : source_(source), bytes_left_(max_bytes), buffer_(kBufferBytes) {}

SerialStream::SerialStream(ByteSource& source, Form form, uint64_t position)
    : source_(source), bytes_left_(~uint64_t{0}), position_(position), form_(form), buffer_(kBufferBytes) {}

// Reads a line without its end, LF or CR LF. Returns only the first `most` characters of a longer line.
std::string SerialStream::line(size_t most) {
  std::string text;
  while (text.size() < most) {
    const char c = static_cast<char>(next());
    if (c == '\n') break;
    text += c;
  }
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

// The header is "X\n", "B\n" or "A\n", then the format version, the version of the R that wrote it and the
// oldest R that can read it. Version 3 adds the native encoding. A file of save() has "RDX3\n" (or RDX2,
// RDA2, RDA3, …) before that. In text form the lines may end in CR LF.
void SerialStream::read_header() {
  constexpr size_t kMaxLine = 6;
  std::string format = line(kMaxLine);
  if (format.starts_with("RD")) {
    const std::string_view kind = std::string_view(format).substr(2);
    if (kind.size() != 2 || !std::strchr("XAB", kind[0]) || !std::strchr("23", kind[1]))
      throw damaged("\"{}\" is not the beginning of a file of R's save()", format);
    format = line(kMaxLine);
  }
  if (format != "X" && format != "B" && format != "A") throw damaged("not an R serialisation");
  form_ = format == "X" ? Form::big_endian : format == "B" ? Form::little_endian : Form::text;
  version_ = static_cast<uint32_t>(integer());
  if (version_ != 2 && version_ != 3) throw unsupported("version {} of R's serialisation", version_);
  writer_ = static_cast<uint32_t>(integer());
  integer();
  if (version_ == 2) return;
  const int32_t size = integer();
  if (size < 0 || size > 64) throw damaged("the name of the native encoding has {} bytes", size);
  native_encoding_ = text(static_cast<uint64_t>(size));
}

std::string SerialStream::writer() const {
  return fmt::format("{}.{}.{}", writer_ >> 16, writer_ >> 8 & 0xff, writer_ & 0xff);
}

size_t SerialStream::read_some(std::span<std::byte> out) {
  const size_t size = source_.read(out);
  if (size > bytes_left_) throw too_much();
  bytes_left_ -= size;
  return size;
}

void SerialStream::fill() {
  check_cancelled();
  unread_ = ByteSpan(buffer_).first(read_some(buffer_));
  if (unread_.empty()) throw ends_early();
}

std::byte SerialStream::next() {
  if (unread_.empty()) fill();
  const std::byte byte = unread_.front();
  unread_ = unread_.subspan(1);
  ++position_;
  return byte;
}

void SerialStream::read(std::span<std::byte> out) {
  position_ += out.size();
  while (!out.empty()) {
    if (unread_.empty() && out.size() >= kBufferBytes) {
      if (read_some(out) != out.size()) throw ends_early();
      return;
    }
    if (unread_.empty()) fill();
    const size_t size = std::min(out.size(), unread_.size());
    std::memcpy(out.data(), unread_.data(), size);
    unread_ = unread_.subspan(size);
    out = out.subspan(size);
  }
}

void SerialStream::skip_blanks() {
  for (;;) {
    if (unread_.empty()) fill();
    if (!is_blank(static_cast<char>(unread_.front()))) return;
    next();
  }
}

std::string_view SerialStream::word() {
  skip_blanks();
  text_.clear();
  for (char c = static_cast<char>(next()); !is_blank(c); c = static_cast<char>(next())) {
    if (text_.size() == kMaxWordBytes) throw damaged("\"{}…\" is not a word of R's text form", text_);
    text_ += c;
  }
  return text_;
}

int32_t SerialStream::integer() {
  if (form_ == Form::text) {
    const std::string_view given = word();
    if (given == "NA") return kRMissingInteger;
    if (const auto value = parsed_number<int32_t>(given)) return *value;
    throw damaged("\"{}\" is not an integer of R's text form", given);
  }
  std::byte stored[4];
  read(stored);
  return form_ == Form::big_endian ? load_big<int32_t>(stored) : load_little<int32_t>(stored);
}

double SerialStream::real() {
  if (form_ != Form::text) {
    std::byte stored[8];
    read(stored);
    return std::bit_cast<double>(form_ == Form::big_endian ? load_big<uint64_t>(stored)
                                                           : load_little<uint64_t>(stored));
  }
  std::string_view given = word();
  if (given == "NA") return r_missing_real();
  if (given == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (given == "Inf") return std::numeric_limits<double>::infinity();
  if (given == "-Inf") return -std::numeric_limits<double>::infinity();
  const std::string_view all = given;
  const bool is_negative = given.starts_with('-');
  if (is_negative) given.remove_prefix(1);
  const bool is_hex = given.starts_with("0x");
  if (is_hex) given.remove_prefix(2);
  double value = 0;
  const char* const last = given.data() + given.size();
  const auto [end, error] = std::from_chars(given.data(), last, value,
                                            is_hex ? std::chars_format::hex : std::chars_format::general);
  // Out of range becomes 0 or infinity, as strtod() rounds.
  if (error == std::errc::result_out_of_range)
    value = given.find("e-") != given.npos || given.find("p-") != given.npos
                ? 0
                : std::numeric_limits<double>::infinity();
  else if (error != std::errc{} || given.empty() || given.starts_with('-'))
    throw damaged("\"{}\" is not a number of R's text form", all);
  if (end != last) throw damaged("\"{}\" is not a number of R's text form", all);
  return is_negative ? -value : value;
}

uint8_t SerialStream::byte() {
  if (form_ != Form::text) return static_cast<uint8_t>(next());
  const std::string_view given = word();
  if (const auto value = parsed_number<uint8_t>(given, 16)) return *value;
  throw damaged("\"{}\" is not a byte of R's text form", given);
}

// The length of a long vector is -1 and then its two halves, the upper at most 65536.
uint64_t SerialStream::length() {
  const int32_t short_length = integer();
  if (short_length >= 0) return static_cast<uint64_t>(short_length);
  if (short_length < -1) throw damaged("a vector has length {}", short_length);
  const auto upper = static_cast<uint32_t>(integer());
  const auto lower = static_cast<uint32_t>(integer());
  if (upper > 65536) throw damaged("the upper half of a vector's length is {}", upper);
  return uint64_t{upper} << 32 | lower;
}

// Reads one byte of a string in text form.
void SerialStream::append_escaped(std::string& text) {
  char c = static_cast<char>(next());
  if (c != '\\') {
    text += c;
    return;
  }
  c = static_cast<char>(next());
  if (c >= '0' && c <= '7') {
    unsigned value = 0;
    for (int digits = 0; digits < 3; ++digits) {
      if (unread_.empty()) fill();
      if (digits > 0) {
        c = static_cast<char>(unread_.front());
        if (c < '0' || c > '7') break;
        next();
      }
      value = value * 8 + static_cast<unsigned>(c - '0');
    }
    text += static_cast<char>(value);
    return;
  }
  static constexpr std::string_view kLetters = "ntvbrfa", kMeant = "\n\t\v\b\r\f\a";
  const size_t at = kLetters.find(c);
  text += at == kLetters.npos ? c : kMeant[at];
}

std::string_view SerialStream::text(uint64_t size) {
  if (form_ == Form::text) {
    if (size > 0) skip_blanks();
    std::string read;
    while (read.size() < size) append_escaped(read);
    text_ = std::move(read);
    return text_;
  }
  if (size <= unread_.size()) {  // most strings
    const std::string_view text = as_text(unread_.first(static_cast<size_t>(size)));
    unread_ = unread_.subspan(static_cast<size_t>(size));
    position_ += size;
    return text;
  }
  text_.clear();
  while (text_.size() < size) {
    const size_t before = text_.size();
    text_.resize(before + static_cast<size_t>(std::min<uint64_t>(size - before, kGrowBytes)));
    read(std::as_writable_bytes(std::span(text_)).subspan(before));
  }
  return text_;
}

Bytes SerialStream::numbers(uint64_t count, size_t size) {
  const uint64_t wanted = checked_multiply(count, size);
  Bytes all;
  while (all.size() < wanted) {
    const size_t before = all.size();
    const uint64_t more = std::min<uint64_t>(wanted - before, std::max<uint64_t>(before, kGrowBytes));
    all.resize(before + static_cast<size_t>(more));
    read(std::span(all).subspan(before));
  }
  if (form_ == Form::big_endian && size == 4) swap_all<uint32_t>(all);
  if (form_ == Form::big_endian && size == 8) swap_all<uint64_t>(all);
  return all;
}

void SerialStream::skip(uint64_t size) {
  position_ += size;
  const auto part = static_cast<size_t>(std::min<uint64_t>(size, unread_.size()));
  unread_ = unread_.subspan(part);
  size -= part;
  if (size == 0) return;
  const uint64_t passed = source_.skip(std::min(size, bytes_left_));
  bytes_left_ -= passed;
  if (passed == size) return;
  if (bytes_left_ == 0) read_some(buffer_);  // throws if there are more bytes
  throw ends_early();
}

uint64_t SerialStream::finish() {
  const uint64_t held = unread_.size();
  unread_ = {};
  const uint64_t rest = source_.skip(bytes_left_);
  bytes_left_ -= rest;
  if (bytes_left_ == 0) read_some(buffer_);  // throws if there are more bytes
  return held + rest;
}

}  // namespace plainfs::rds
