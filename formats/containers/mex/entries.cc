#include "formats/containers/mex/entries.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "formats/containers/mex/fields.h"
#include "formats/core/base/error.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/printable.h"
#include "formats/core/text/split.h"

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
    const std::optional<uint64_t> index = parsed_number<uint64_t>(field);
    if (!index)
      throw damaged("line {}: '{}', expected a row, a column and a value", number,
                    printable(line.substr(0, kMaxQuoted)));
    if (*index == 0) throw damaged("line {}: {} 0, expected 1 or more", number, word);
    if (*index > size) throw damaged("line {}: {} {} of {}", number, word, *index, size);
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

// A number in dense lines.
struct Number {
  double real = 0;
  double imaginary = 0;
};

// Returns the value at the mirror image of an entry.
Number image_of(const Number& value, const Header& header) {
  if (header.symmetry == Symmetry::skew_symmetric) return {-value.real, -value.imaginary};
  if (header.symmetry == Symmetry::hermitian) return {value.real, -value.imaginary};
  return value;
}

// The elements of a dense text, each with its place.
class DenseLines {
 public:
  DenseLines(const Header& header, Entries& entries) : header_(header), entries_(entries) {}

  // Reads one element of an array. place: its number in the text.
  void read_element(std::string_view line, uint64_t place, uint64_t number) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    if (place >= header_.entries)
      throw damaged("line {}: there are more elements than the {} of the header", number, header_.entries);
    uint64_t column = column_of(place), row = place - first_of(column);
    if (header_.symmetry != Symmetry::general) row += column + (header_.symmetry == Symmetry::skew_symmetric);
    const bool is_complex = header_.field == Field::complex;
    const std::optional<Number> value = is_complex ? complex_in(line) : number_in(line);
    if (!value)
      throw damaged("line {}: '{}', expected {}", number, printable(line.substr(0, kMaxQuoted)),
                    is_complex ? "two numbers" : "a number");
    if (!is_complex) check_exact(line, *value, number);
    const bool is_missing = line == kMissing;
    add(row, column, *value, is_missing);
    if (header_.symmetry == Symmetry::general || row == column) return;
    add(column, row, image_of(*value, header_), is_missing);
  }

  // Reads the row of a table.
  void read_row(std::string_view line, uint64_t row, uint64_t number) {
    std::string scratch;
    bool has_more = false;
    if (row >= uint64_t{1} << 32) throw unsupported("a table of over 2^32 rows");
    next_table_field(line, header_.separator, scratch, has_more);
    uint64_t column = 0;
    for (; has_more && column < header_.columns; ++column) {
      const std::string_view field = next_table_field(line, header_.separator, scratch, has_more);
      const std::optional<Number> value = number_in(field);
      if (!value)
        throw damaged("line {}, field {}: '{}', expected a number", number, column + 2,
                      printable(field.substr(0, kMaxQuoted)));
      check_exact(field, *value, number);
      add(row, column, *value, field == kMissing);
    }
    if (column != header_.columns || has_more)
      throw damaged("line {}: {} fields, expected {}", number, has_more ? "more" : std::to_string(column + 1),
                    header_.columns + 1);
  }

 private:
  static constexpr size_t kMaxQuoted = 80;
  static constexpr std::string_view kMissing = "NA";

  // Returns the number in a field, 0 for NA; nullopt if it is no number.
  static std::optional<Number> number_in(std::string_view field) {
    if (field == kMissing) return Number{};
    if (field.starts_with('+')) field.remove_prefix(1);
    const std::optional<double> value = parsed_number<double>(field);
    return value ? std::optional(Number{*value, 0}) : std::nullopt;
  }
  // Throws unsupported if the field is an integer that no real number of 64 bits has the value of.
  static void check_exact(std::string_view field, const Number& value, uint64_t number) {
    constexpr double kMaxExact = 9007199254740992;  // 2^53
    if (std::abs(value.real) < kMaxExact || field.find_first_not_of("+-0123456789") != field.npos) return;
    if (field.starts_with('+')) field.remove_prefix(1);
    if (fmt::format("{:.0f}", value.real) != field)
      throw unsupported("line {}: the integer {} of a dense matrix has more than 53 bits", number,
                        printable(field));
  }
  static std::optional<Number> complex_in(std::string_view line) {
    const std::string_view first = next_field(line), second = next_field(line);
    if (first == kMissing || second == kMissing || !next_field(line).empty()) return std::nullopt;
    const std::optional<Number> real = number_in(first), imaginary = number_in(second);
    if (!real || !imaginary) return std::nullopt;
    return Number{real->real, imaginary->real};
  }

  void add(uint64_t row, uint64_t column, const Number& value, bool is_missing) {
    if (value.real == 0 && value.imaginary == 0 && !is_missing) return;
    if (is_missing) entries_.missing.push_back(entries_.count());
    entries_.row.push_back(static_cast<uint32_t>(row));
    entries_.column.push_back(static_cast<uint32_t>(column));
    entries_.real.push_back(value.real);
    if (header_.field == Field::complex) entries_.real.push_back(value.imaginary);
  }

  // Returns the number of elements before a column.
  uint64_t first_of(uint64_t column) const {
    if (header_.symmetry == Symmetry::general) return column * header_.rows;
    const uint64_t longest = header_.rows - (header_.symmetry == Symmetry::skew_symmetric);
    return column * longest - column * (column - 1) / 2;
  }
  uint64_t column_of(uint64_t place) const {
    if (header_.symmetry == Symmetry::general) return place / header_.rows;
    uint64_t low = 0, high = header_.columns;  // first_of(low) <= place
    while (high - low > 1) {
      const uint64_t middle = low + (high - low) / 2;
      (first_of(middle) <= place ? low : high) = middle;
    }
    return low;
  }

  const Header& header_;
  Entries& entries_;
};

void read_dense(std::string_view lines, const Header& header, uint64_t first_line, Entries& entries) {
  DenseLines dense(header, entries);
  while (!lines.empty()) {
    const std::string_view line = without_line_end(take_part(lines, '\n'));
    const uint64_t number = first_line + entries.lines++;
    if (line.find_first_not_of(" \t") == std::string_view::npos) {
      entries.last_blank = entries.lines;
      continue;
    }
    if (entries.last_blank > 0) throw damaged("line {}: blank", first_line + entries.last_blank - 1);
    ++entries.full_lines;
    const uint64_t place = number - header.lines - 1;
    if (header.layout == Layout::array)
      dense.read_element(line, place, number);
    else
      dense.read_row(line, place, number);
  }
}

// Adds the value of an entry, or of its mirror image, to `mirrored`.
void add_value(const Entries& entries, uint64_t entry, bool is_image, const Header& header,
               Entries& mirrored) {
  if (!entries.integer.empty()) {
    const int64_t value = entries.integer[entry];
    if (value == std::numeric_limits<int64_t>::min())
      throw unsupported("the integer {} in a mirrored matrix", value);
    mirrored.integer.push_back(is_image ? -value : value);
  }
  if (entries.real.empty()) return;
  if (header.field != Field::complex) {
    mirrored.real.push_back(is_image ? -entries.real[entry] : entries.real[entry]);
    return;
  }
  const Number stored{entries.real[2 * entry], entries.real[2 * entry + 1]};
  const Number value = is_image ? image_of(stored, header) : stored;
  mirrored.real.insert(mirrored.real.end(), {value.real, value.imaginary});
}

// Adds to each entry off the diagonal its mirror image.
void add_mirrors(const Header& header, Entries& entries) {
  Entries all;
  std::swap(all.missing, entries.missing);
  Entries mirrored;
  mirrored.lines = entries.lines;
  mirrored.full_lines = entries.full_lines;
  auto missing = all.missing.begin();
  for (uint64_t i = 0; i < entries.count(); ++i) {
    const bool is_missing = missing != all.missing.end() && *missing == i;
    missing += is_missing;
    const int copies = entries.row[i] == entries.column[i] ? 1 : 2;
    for (int copy = 0; copy < copies; ++copy) {
      if (is_missing) mirrored.missing.push_back(mirrored.count());
      mirrored.row.push_back(copy == 0 ? entries.row[i] : entries.column[i]);
      mirrored.column.push_back(copy == 0 ? entries.column[i] : entries.row[i]);
      add_value(entries, i, copy == 1, header, mirrored);
    }
  }
  entries = std::move(mirrored);
}

template <Field kField>
void read_lines(std::string_view lines, const Header& header, uint64_t first_line, Entries& entries) {
  const char* at = lines.data();
  const char* const end = at + lines.size();
  while (at != end) {
    Line line(at, end);
    ++entries.lines;
    if (!line.at_end()) {
      ++entries.full_lines;
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
  if (header.is_dense()) {
    read_dense(lines, header, first_line, entries);
    return entries;
  }
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
      if (header.is_mirrored()) entries.integer.assign(static_cast<size_t>(entries.count()), 1);
      break;
    case Field::complex:
      entries.real.reserve(2 * likely);
      read_lines<Field::complex>(lines, header, first_line, entries);
      break;
  }
  if (header.is_mirrored()) add_mirrors(header, entries);
  return entries;
}

}  // namespace plainfs::mex
