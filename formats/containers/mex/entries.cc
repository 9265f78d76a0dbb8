#include "formats/containers/mex/entries.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "formats/containers/mex/fields.h"
#include "formats/core/base/error.h"
#include "formats/core/text/printable.h"

namespace plainfs::mex {
namespace {

constexpr size_t kMinLineBytes = 4;  // "1 1\n"

// A reader of the fields of one line after another. Each function returns false if the line has no such field
// at its place.
class Line {
 public:
  Line(const char* at, const char* end) : at_(at), end_(end) {}

  bool at_end() {
    while (at_ != end_ && (is_blank(*at_) || *at_ == '\r')) ++at_;
    return at_ == end_ || *at_ == '\n';
  }
  // Reads digits, at most ten. They are followed by a blank or the end of the line.
  bool read_index(uint64_t& value) {
    skip_blanks();
    const char* const first = at_;
    uint64_t read = 0;
    while (at_ != end_ && at_ - first < kMaxDigits && static_cast<unsigned char>(*at_ - '0') <= 9)
      read = read * 10 + static_cast<unsigned char>(*at_++ - '0');
    value = read;
    return at_ != first && ends_field();
  }
  bool read_integer(int64_t& value) {
    skip_blanks();
    if (at_ != end_ && *at_ == '+') ++at_;
    const char* const first = at_;
    // Counts of a few digits are nearly all numbers.
    int64_t read = 0;
    while (at_ != end_ && at_ - first < kMaxDigits && static_cast<unsigned char>(*at_ - '0') <= 9)
      read = read * 10 + static_cast<unsigned char>(*at_++ - '0');
    value = read;
    if (at_ != first && ends_field()) return true;
    at_ = first;
    return read_number(value);
  }
  // Reads "NA", which MatrixMarket does not have, but R and plainfs write.
  bool read_missing() {
    skip_blanks();
    if (end_ - at_ < 2 || at_[0] != 'N' || at_[1] != 'A') return false;
    const char* const first = std::exchange(at_, at_ + 2);
    if (ends_field()) return true;
    at_ = first;
    return false;
  }
  bool read_real(double& value) {
    skip_blanks();
    if (at_ != end_ && *at_ == '+') ++at_;
    return read_number(value);
  }
  // Returns the position after the end of the line.
  const char* next() const {
    const auto* const end = static_cast<const char*>(std::memchr(at_, '\n', static_cast<size_t>(end_ - at_)));
    return end ? end + 1 : end_;
  }

 private:
  static constexpr ptrdiff_t kMaxDigits = 10;

  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  bool ends_field() const { return at_ == end_ || is_blank(*at_) || *at_ == '\n' || *at_ == '\r'; }
  template <class T>
  bool read_number(T& value) {
    const auto [after, error] = std::from_chars(at_, end_, value);
    if (error != std::errc()) return false;
    at_ = after;
    return ends_field();
  }

  const char* at_;
  const char* const end_;
};

// Throws the fault of a line that could not be read.
[[noreturn]] void throw_fault(std::string_view line, const Header& header, uint64_t number) {
  line = without_line_end(line.substr(0, line.find('\n')));
  constexpr size_t kMaxQuoted = 80;
  std::string_view rest = line;
  const std::string_view row = next_field(rest), column = next_field(rest), value = next_field(rest);
  const auto check_index = [&](std::string_view field, const char* word, uint64_t size) {
    uint64_t index = 0;
    if (!read_count(field, index))
      throw damaged("line {}: '{}', expected a row, a column and a value", number,
                    printable(line.substr(0, kMaxQuoted)));
    if (index == 0) throw damaged("line {}: {} 0, expected 1 or more", number, word);
    if (index > size) throw damaged("line {}: {} {} of {}", number, word, index, size);
  };
  check_index(row, "row", header.rows);
  check_index(column, "column", header.columns);
  const char* const expected = header.field == Field::integer   ? "an integer"
                               : header.field == Field::pattern ? "nothing after the column"
                               : header.field == Field::complex ? "two numbers"
                                                                : "a number";
  throw damaged("line {}: '{}', expected {}", number, printable(value.empty() ? line : value), expected);
}

template <Field kField>
bool read_value(Line& line, Entries& entries) {
  if constexpr (kField == Field::integer || kField == Field::real) {
    if (line.read_missing()) {
      entries.missing.push_back(entries.count());
      if constexpr (kField == Field::integer) entries.integer.push_back(0);
      if constexpr (kField == Field::real) entries.real.push_back(std::numeric_limits<double>::quiet_NaN());
      return true;
    }
  }
  if constexpr (kField == Field::integer) {
    return line.read_integer(entries.integer.emplace_back());
  } else if constexpr (kField == Field::real) {
    return line.read_real(entries.real.emplace_back());
  } else if constexpr (kField == Field::complex) {
    return line.read_real(entries.real.emplace_back()) && line.read_real(entries.real.emplace_back());
  } else {
    return true;
  }
}

template <Field kField>
void read_lines(std::string_view lines, const Header& header, uint64_t first_line, Entries& entries) {
  const char* at = lines.data();
  const char* const end = at + lines.size();
  while (at != end) {
    Line line(at, end);
    ++entries.lines;
    if (!line.at_end()) {
      uint64_t row = 0, column = 0;
      const bool is_read = line.read_index(row) && line.read_index(column) && row - 1 < header.rows &&
                           column - 1 < header.columns && read_value<kField>(line, entries) && line.at_end();
      if (!is_read) throw_fault({at, static_cast<size_t>(end - at)}, header, first_line + entries.lines - 1);
      entries.row.push_back(static_cast<uint32_t>(row - 1));
      entries.column.push_back(static_cast<uint32_t>(column - 1));
    }
    at = line.next();
  }
}

}  // namespace

size_t Entries::allocated_bytes() const {
  return (row.capacity() + column.capacity()) * sizeof(uint32_t) + integer.capacity() * sizeof(int64_t) +
         real.capacity() * sizeof(double) + missing.capacity() * sizeof(uint64_t);
}

Entries read_entries(std::string_view lines, const Header& header, uint64_t first_line) {
  Entries entries;
  const auto expected = static_cast<size_t>(std::min<uint64_t>(header.entries, lines.size() / kMinLineBytes));
  // Lines of counts have some ten bytes.
  const size_t likely = std::min(expected, lines.size() / 8);
  entries.row.reserve(likely);
  entries.column.reserve(likely);
  switch (header.field) {
    case Field::integer:
      entries.integer.reserve(likely);
      read_lines<Field::integer>(lines, header, first_line, entries);
      break;
    case Field::real:
      entries.real.reserve(likely);
      read_lines<Field::real>(lines, header, first_line, entries);
      break;
    case Field::pattern:
      read_lines<Field::pattern>(lines, header, first_line, entries);
      break;
    case Field::complex:
      read_lines<Field::complex>(lines, header, first_line, entries);
      break;
  }
  return entries;
}

}  // namespace plainfs::mex
