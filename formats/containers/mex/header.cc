#include "formats/containers/mex/header.h"

#include <algorithm>
#include <array>
#include <vector>

#include "formats/containers/mex/fields.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/error.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/json.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/printable.h"

namespace plainfs::mex {
namespace {

constexpr std::string_view kBanner = "%%matrixmarket";

// Returns the fields of a line in lower case.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::string_view field = next_field(line); !field.empty(); field = next_field(line))
    fields.push_back(lower_case(std::string(field)));
  return fields;
}

template <class Value, size_t kCount>
Value value_of(const std::string& word, const std::array<std::pair<std::string_view, Value>, kCount>& values,
               std::string_view what) {
  for (const auto& [name, value] : values)
    if (word == name) return value;
  throw damaged("line 1: unknown {} '{}'", what, printable(word));
}

constexpr std::array<std::pair<std::string_view, Layout>, 2> kLayouts{
    {{"coordinate", Layout::coordinate}, {"array", Layout::array}}};
constexpr std::array<std::pair<std::string_view, Field>, 6> kFields{{{"integer", Field::integer},
                                                                     {"unsigned-integer", Field::integer},
                                                                     {"real", Field::real},
                                                                     {"double", Field::real},
                                                                     {"pattern", Field::pattern},
                                                                     {"complex", Field::complex}}};
constexpr std::array<std::pair<std::string_view, Symmetry>, 4> kSymmetries{
    {{"general", Symmetry::general},
     {"symmetric", Symmetry::symmetric},
     {"skew-symmetric", Symmetry::skew_symmetric},
     {"hermitian", Symmetry::hermitian}}};

Header banner_of(std::string_view line) {
  const std::vector<std::string> fields = fields_of(line);
  if (fields.size() != 5 || fields[1] != "matrix")
    throw damaged("line 1: '{}', expected %%MatrixMarket matrix LAYOUT FIELD SYMMETRY", printable(line));
  Header header;
  header.layout = value_of(fields[2], kLayouts, "layout");
  header.field = value_of(fields[3], kFields, "field");
  header.symmetry = value_of(fields[4], kSymmetries, "symmetry");
  return header;
}

// Returns the number of lines of an array: those of a triangle if it is symmetric.
uint64_t elements_of(const Header& header) {
  const uint64_t all = checked_multiply(header.rows, header.columns);
  if (header.symmetry == Symmetry::general) return all;
  const bool has_diagonal = header.symmetry != Symmetry::skew_symmetric;
  return has_diagonal ? all - (all - header.rows) / 2 : (all - header.rows) / 2;
}

// Returns the program in the comment "%metadata_json: {...}" of 10x; "" in any other.
std::string software_in(std::string_view comment) try {
  constexpr std::string_view kMark = "%metadata_json:";
  if (!comment.starts_with(kMark)) return {};
  const Json metadata = parse_json(comment.substr(kMark.size()));
  const Json* const software = metadata.find("software_version");
  return software && software->text() ? *software->text() : std::string();
} catch (const Error&) {
  return {};  // a comment may be anything
}

void read_sizes(std::string_view line, Header& header) {
  const bool is_coordinate = header.layout == Layout::coordinate;
  const std::string_view whole = line;
  std::array<uint64_t, 3> sizes{};
  const size_t count = is_coordinate ? 3 : 2;
  bool are_numbers = true;
  for (size_t i = 0; i < count; ++i) {
    const std::optional<uint64_t> size = parsed_number<uint64_t>(next_field(line));
    are_numbers = are_numbers && size;
    sizes[i] = size.value_or(0);
  }
  if (!are_numbers || !next_field(line).empty())
    throw damaged("line {}: '{}', expected {} numbers", header.lines, printable(whole), count);
  header.rows = sizes[0];
  header.columns = sizes[1];
  if (header.symmetry != Symmetry::general && header.rows != header.columns)
    throw damaged("line {}: {} x {}, expected a square of a symmetric matrix", header.lines, header.rows,
                  header.columns);
  header.entries = is_coordinate ? sizes[2] : elements_of(header);
}

// Returns the fields of a line of a table.
std::vector<std::string> fields_of(std::string_view line, char separator) {
  std::vector<std::string> fields;
  std::string scratch;
  for (bool has_more = true; has_more;)
    fields.emplace_back(next_table_field(line, separator, scratch, has_more));
  return fields;
}

bool is_number(std::string_view field) {
  return field == "NA" || parsed_number<double>(field);
}

}  // namespace

bool has_banner(std::string_view text) {
  return text.size() >= kBanner.size() &&
         std::equal(kBanner.begin(), kBanner.end(), text.begin(),
                    [](char expected, char given) { return expected == lower_case(given); });
}

std::optional<Header> read_header(std::string_view text, bool is_whole) {
  Header header;
  for (uint64_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end == std::string_view::npos && !is_whole) return std::nullopt;
    const std::string_view line = without_line_end(text.substr(at, end - at));
    at = end == std::string_view::npos ? text.size() : end + 1;
    ++header.lines;
    if (header.lines == 1) {
      header = banner_of(line);
      header.lines = 1;
    } else if (!line.starts_with('%') && line.find_first_not_of(" \t") != std::string_view::npos) {
      read_sizes(line, header);
      header.body = at;
      return header;
    } else if (header.software.empty()) {
      header.software = software_in(line);
    }
  }
  if (!is_whole) return std::nullopt;
  throw damaged("the line with the numbers of rows, columns and entries is missing");
}

std::optional<TableHeader> read_table_header(std::string_view text, bool is_whole) {
  const size_t first_end = text.find('\n');
  if (first_end == std::string_view::npos) return std::nullopt;
  const size_t second_end = text.find('\n', first_end + 1);
  if (second_end == std::string_view::npos && !is_whole) return std::nullopt;
  const std::string_view names = without_line_end(text.substr(0, first_end)),
                         row = without_line_end(text.substr(first_end + 1, second_end - first_end - 1));
  for (const char separator : {'\t', ',', ';', ' '}) {
    TableHeader table;
    table.columns = fields_of(names, separator);
    const std::vector<std::string> values = fields_of(row, separator);
    if (values.size() < 2 || !is_number(values[1])) continue;
    if (table.columns.size() == values.size()) table.columns.erase(table.columns.begin());
    if (table.columns.size() + 1 != values.size() || is_number(table.columns.front())) continue;
    table.header.layout = Layout::table;
    table.header.field = Field::real;
    table.header.columns = table.columns.size();
    table.header.body = first_end + 1;
    table.header.lines = 1;
    table.header.separator = separator;
    return table;
  }
  return std::nullopt;
}

}  // namespace plainfs::mex
