// The banner and the line of sizes with which a MatrixMarket text begins. Source: NIST, "The Matrix Market
// Exchange Formats" (Boisvert, Pozo, Remington 1996). The header of a table of counts: the names of its
// columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/base/bytes.h"

namespace plainfs::mex {

// coordinate: a line for each entry. array: a line for each element, column by column. table: a line for each
// row, with its name and all of its elements, as in a table of counts.
enum class Layout : uint8_t { coordinate, array, table };
enum class Field : uint8_t { integer, real, pattern, complex };
enum class Symmetry : uint8_t { general, symmetric, skew_symmetric, hermitian };

struct Header {
  Layout layout = Layout::coordinate;
  Field field = Field::integer;
  Symmetry symmetry = Symmetry::general;
  uint64_t rows = 0;
  uint64_t columns = 0;
  uint64_t entries = 0;  // lines of the body; of a table, unknown
  uint64_t body = 0;     // the offset of the first byte after the line of sizes
  uint64_t lines = 0;    // the number of lines before it
  char separator = ' ';  // between the fields of a table
  std::string software;  // that wrote it, "cellranger-7.1.0", if a comment of 10x's programs states it

  // Returns whether every element has a place in the text, given by its line.
  bool is_dense() const { return layout != Layout::coordinate; }
  // Returns whether the value of an entry differs from that of its mirror image across the diagonal. Both are
  // then listed.
  bool is_mirrored() const {
    return symmetry == Symmetry::skew_symmetric ||
           (symmetry == Symmetry::hermitian && field == Field::complex);
  }
  // Returns whether an entry off the diagonal also stands for its mirror image, which has the same value.
  bool is_symmetric() const { return symmetry != Symmetry::general && !is_mirrored(); }
};

// Returns whether text begins with the banner, in any case.
bool has_banner(std::string_view text);

// Reads the header at the beginning of text. is_whole: text is the whole file. Returns nullopt if the header
// may continue beyond text. Throws damaged if a line cannot be understood.
std::optional<Header> read_header(std::string_view text, bool is_whole);

// The header of a table of counts.
struct TableHeader {
  Header header;                     // without the number of rows
  std::vector<std::string> columns;  // their names
};

// Reads the names of the columns at the beginning of text. The first column has the names of the rows; its
// own name may be absent. is_whole: text is the whole file. Returns nullopt if the second line may continue
// beyond text, or if text is not the beginning of a table with a number in its first element.
std::optional<TableHeader> read_table_header(std::string_view text, bool is_whole);

}  // namespace plainfs::mex
