#include "fs/command_line/cells_file.h"

#include <optional>
#include <unordered_set>

#include "formats/core/model/elements/element_text.h"
#include "formats/core/remote/sha256.h"
#include "formats/core/text/csv_records.h"
#include "formats/core/text/parsed_number.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/option_values.h"

namespace plainfs {
namespace {

constexpr uint64_t kLargestCellsFile = uint64_t{1} << 30;

bool is_missing(const CsvField& field) {
  return !field.is_quoted && (field.text.empty() || field.text == "NA");
}

// Returns the number that plainfs formats as this text in a .csv; nullopt if there is no such number.
std::optional<double> number_shown_as(const std::string& text) {
  const std::optional<double> value = parsed_number<double>(text);
  if (!value) return std::nullopt;
  Elements one = zero_elements(number_type(Kind::real, 8), 1);
  one.mutable_values<double>()[0] = *value;
  return plain_text(number_type(Kind::real, 8), one, 0) == text ? value : std::nullopt;
}

ArrayPtr column_of(const std::vector<CsvRecord>& records, size_t column) {
  const size_t rows = records.size() - 1;
  TextBuilder texts(rows);
  Elements numbers = zero_elements(number_type(Kind::real, 8), rows);
  bool are_numbers = true, any = false;
  for (size_t row = 0; row < rows; ++row) {
    const CsvField& field = records[row + 1][column];
    if (is_missing(field)) {
      texts.add_missing();
      numbers.missing.resize(rows);
      numbers.missing[row] = 1;
      continue;
    }
    texts.add(field.text);
    const std::optional<double> number =
        are_numbers && !field.is_quoted ? number_shown_as(field.text) : std::nullopt;
    are_numbers = number.has_value();
    any = true;
    if (number) numbers.mutable_values<double>()[row] = *number;
  }
  if (are_numbers && any)
    return std::make_shared<MemoryArray>(number_type(Kind::real, 8), Shape{rows}, std::move(numbers));
  return std::make_shared<MemoryArray>(text_type(), Shape{rows}, texts.finish());
}

}  // namespace

CellTable cell_table(std::string_view text) {
  const std::vector<CsvRecord> records = csv_records(text);
  if (records.empty()) throw damaged("the header is missing");
  const CsvRecord& header = records.front();
  CellTable generated;
  generated.table.rows = records.size() - 1;
  std::vector<std::string> names;
  std::unordered_set<std::string_view> known;
  for (size_t row = 1; row < records.size(); ++row) {
    if (records[row].size() != header.size())
      throw damaged("record {} has {} fields, expected {}", row + 1, records[row].size(), header.size());
    if (!known.insert(records[row][0].text).second)
      throw damaged("the cell {} is repeated", records[row][0].text);
    names.push_back(records[row][0].text);
  }
  generated.table.row_names = text_array(names);
  for (size_t column = 1; column < header.size(); ++column)
    generated.table.columns.push_back({header[column].text, column_of(records, column)});
  generated.digest = remote::sha256_hex(text);
  return generated;
}

CellTablePtr read_cells_file(const std::string& path) {
  const std::string text = option_file("cells", path, kLargestCellsFile);
  try {
    return std::make_shared<const CellTable>(cell_table(text));
  } catch (const Error& error) {
    throw Failure(kUsage, fmt::format("cells={}: {}", path, error.what()));
  }
}

}  // namespace plainfs
