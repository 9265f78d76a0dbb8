// Entries of a MatrixMarket text, a line each: in coordinates a row, a column and a value, counted from 1; of
// an array a value. The lines of a table of counts: the name of a row and its values.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/containers/mex/header.h"
#include "formats/core/model/elements/elements.h"

namespace plainfs::mex {

// The entries of some lines. row and column are counted from 0. Exactly one of the lists of values is filled;
// none for a pattern, unless it is mirrored. Zeros of dense lines are left out, and their numbers are reals
// or complex. Of a mirrored matrix both entries are listed.
struct Entries {
  std::vector<uint32_t> row;
  std::vector<uint32_t> column;
  std::vector<int64_t> integer;
  std::vector<double> real;       // of complex numbers: two for each entry
  std::vector<uint64_t> missing;  // the entries with the value NA, ascending
  uint64_t lines = 0;             // blank ones included
  uint64_t full_lines = 0;        // those that are not blank
  uint64_t last_blank = 0;        // the number of the last blank line, from 1 in these lines; 0 = none

  uint64_t count() const { return row.size(); }
  size_t allocated_bytes() const;
};

// Reads whole lines. first_line: the number of the first, from 1, for messages and, in dense lines, for their
// places. Throws damaged if a line cannot be understood or lies outside of the matrix. Requires: rows and
// columns of header are below 2^32.
Entries read_entries(std::string_view lines, const Header& header, uint64_t first_line);

}  // namespace plainfs::mex
