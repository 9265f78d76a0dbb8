#include "formats/containers/mex/header.h"

#include <algorithm>
#include <array>
#include <vector>

#include "formats/containers/mex/fields.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/error.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/printable.h"

namespace plainfs::mex {
namespace {

constexpr std::string_view kBanner = "%%matrixmarket";

// Returns the words of a line in lower case.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::string_view field = next_field(line); !field.empty(); field = next_field(line))
    words.push_back(lower_case(std::string(field)));
  return words;
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
  const std::vector<std::string> words = words_of(line);
  if (words.size() != 5 || words[1] != "matrix")
    throw damaged("line 1: '{}', expected %%MatrixMarket matrix LAYOUT FIELD SYMMETRY", printable(line));
  Header header;
  header.layout = value_of(words[2], kLayouts, "layout");
  header.field = value_of(words[3], kFields, "field");
  header.symmetry = value_of(words[4], kSymmetries, "symmetry");
  return header;
}

void read_sizes(std::string_view line, Header& header) {
  const bool is_coordinate = header.layout == Layout::coordinate;
  const std::string_view whole = line;
  std::array<uint64_t, 3> sizes{};
  const size_t count = is_coordinate ? 3 : 2;
  for (size_t i = 0; i < count; ++i)
    if (!read_count(next_field(line), sizes[i]))
      throw damaged("line {}: '{}', expected {} numbers", header.lines, printable(whole), count);
  if (!next_field(line).empty())
    throw damaged("line {}: '{}', expected {} numbers", header.lines, printable(whole), count);
  header.rows = sizes[0];
  header.columns = sizes[1];
  header.entries = is_coordinate ? sizes[2] : checked_multiply(sizes[0], sizes[1]);
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
    }
  }
  if (!is_whole) return std::nullopt;
  throw damaged("the line with the numbers of rows, columns and entries is missing");
}

}  // namespace plainfs::mex
