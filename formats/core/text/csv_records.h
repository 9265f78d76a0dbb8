// The records of CSV (RFC 4180): tables that a user gives as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plainfs {

struct CsvField {
  std::string text;
  bool is_quoted = false;
};
using CsvRecord = std::vector<CsvField>;

// Returns the records of a text with lines that end in LF or CR LF; the last line end is optional. Empty
// lines are skipped. Throws damaged, with the line number, for a quote that is not closed or has text next to
// it.
std::vector<CsvRecord> csv_records(std::string_view text);

}  // namespace plainfs
