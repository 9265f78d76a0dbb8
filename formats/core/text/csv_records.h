// Tables as text that a user gives (RFC 4180).
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

// The records of a text whose lines end with LF or CR LF, the last one with or without; an empty line is
// none. Throws damaged, with the number of the line, for a quote that is not closed or has text beside it.
std::vector<CsvRecord> csv_records(std::string_view text);

}  // namespace plainfs
