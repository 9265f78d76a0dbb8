// Text and places in a workbook of Excel. XLSX.md has the facts and their source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plainfs {

// The limits of a sheet.
inline constexpr uint64_t kMaxSheetRows = 1048576, kMaxSheetColumns = 16384, kMaxCellText = 32767,
                          kMaxSheetName = 31;

// Returns the name of a column: A for 0, AA for 26. Requires: column < kMaxSheetColumns.
std::string column_letters(uint64_t column);

// Returns whether a text must be among the shared strings, because some readers change it in a cell: it is
// empty, begins or ends with a blank, or contains two blanks in a row, a control character, & < > or what
// looks like an escape. Throws damaged if it is not UTF-8.
bool must_be_shared(std::string_view text);

// Throws unsupported if a cell cannot hold the text, which has over kMaxCellText units of UTF-16. Requires:
// it is UTF-8.
void check_length(std::string_view text);

// Returns the text in XML: with entities, and with characters that XML cannot hold as _xHHHH_. Requires: it
// is UTF-8.
std::string xml_text(std::string_view text);
// Returns the text in an attribute, in which quotes and line feeds are entities, too.
std::string xml_attribute(std::string_view text);

}  // namespace plainfs
