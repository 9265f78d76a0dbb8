#include "formats/annotated/run_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "formats/containers/mex/line_table.h"
#include "formats/core/base/checked.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/text/parsed_number.h"
#include "formats/schemas/parquet/table.h"

namespace plainfs::annotated {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

RunCells::RunCells(const ArrayPtr& names) : names_(read_all(*frames::decoded_names(names))) {
  places_.reserve(names_.count);
  for (uint64_t cell = 0; cell < names_.count; ++cell)
    if (!places_.emplace(names_.text(cell), cell).second)
      throw unsupported("two cells are called {}, so that no table of the run fits", names_.text(cell));
}

uint64_t RunCells::of(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? kNoCell : found->second;
}

// The values of a column for each cell.
class RunTable::Values {
 public:
  Values(const RunTable& table, size_t column)
      : type_(table.table_.columns[column].values->dtype()),
        elements_(read_all(*table.table_.columns[column].values)),
        rows_(table.rows_) {
    if (type_.is_numeric()) append_doubles(type_, elements_, reals_);
  }

  bool is_text() const { return frames::is_text(type_); }
  bool is_missing(uint64_t cell) const {
    const uint64_t row = rows_[cell];
    return row == RunCells::kNoCell || elements_.is_missing(row) || (is_text() && text(cell).empty());
  }
  std::string_view text(uint64_t cell) const { return elements_.text(rows_[cell]); }
  // Return the value of a cell that has one; nullopt if it is no such number.
  std::optional<int64_t> whole(uint64_t cell) const {
    if (is_text()) return parsed_number<int64_t>(text(cell));
    if (!type_.is_integer()) return std::nullopt;
    return static_cast<int64_t>(reals_[rows_[cell]]);
  }
  std::optional<double> real(uint64_t cell) const {
    if (is_text()) return parsed_number<double>(text(cell));
    return reals_.empty() ? std::nullopt : std::optional(reals_[rows_[cell]]);
  }

  // Returns the values of all cells; nullopt unless each has a whole number.
  std::optional<std::vector<int64_t>> wholes() const {
    std::vector<int64_t> values(rows_.size());
    for (uint64_t cell = 0; cell < rows_.size(); ++cell) {
      const std::optional<int64_t> value = is_missing(cell) ? std::nullopt : whole(cell);
      if (!value) return std::nullopt;
      values[cell] = *value;
    }
    return values;
  }
  // Returns the values of all cells, NaN without one; nullopt if one is no number.
  std::optional<std::vector<double>> reals() const {
    std::vector<double> values(rows_.size(), kNaN);
    for (uint64_t cell = 0; cell < rows_.size(); ++cell) {
      if (is_missing(cell)) continue;
      const std::optional<double> value = real(cell);
      if (!value) return std::nullopt;
      values[cell] = *value;
    }
    return values;
  }
  // Returns the value of a cell that has one, as text.
  std::string as_text(uint64_t cell) const { return plain_text(type_, elements_, rows_[cell]); }

 private:
  const DType type_;
  const Elements elements_;
  const std::vector<uint64_t>& rows_;
  std::vector<double> reals_;  // of the rows, unless they are text
};

RunTable::RunTable(Table table, const RunCells& cells, std::string place)
    : table_(std::move(table)), place_(std::move(place)), rows_(cells.count(), RunCells::kNoCell) {
  if (table_.columns.empty()) throw damaged("{}: the columns are missing", place_);
  const Column& barcodes = table_.columns.front();
  const Elements names = read_all(*barcodes.values);
  std::string name;
  for (uint64_t row = 0; row < names.count; ++row) {
    name.clear();
    append_plain(barcodes.values->dtype(), names, row, name);
    const uint64_t cell = cells.of(name);
    if (cell == RunCells::kNoCell) continue;
    if (rows_[cell] != RunCells::kNoCell) throw damaged("{}: the barcode {} is repeated", place_, name);
    rows_[cell] = row;
  }
}

ArrayPtr RunTable::column(size_t column) const {
  const Values values(*this, column);
  const Shape shape{rows_.size()};
  if (const auto wholes = values.wholes()) return number_array(*wholes);
  if (const auto reals = values.reals()) return number_array(*reals);
  TextBuilder texts(rows_.size());
  for (uint64_t cell = 0; cell < rows_.size(); ++cell) {
    if (values.is_missing(cell))
      texts.add_missing();
    else
      texts.add(values.as_text(cell));
  }
  return std::make_shared<MemoryArray>(text_type(), shape, texts.finish());
}

ArrayPtr RunTable::factor(size_t column, Context& context) const {
  const Values values(*this, column);
  std::map<std::pair<int64_t, std::string>, int32_t> levels;  // all numbers are 0 unless each level is one
  bool are_numbers = true;
  std::vector<std::string> texts(rows_.size());
  for (uint64_t cell = 0; cell < rows_.size(); ++cell) {
    if (values.is_missing(cell)) continue;
    texts[cell] = values.as_text(cell);
    are_numbers = are_numbers && parsed_number<int64_t>(texts[cell]);
  }
  const auto key = [&](const std::string& text) {
    return std::pair(are_numbers ? *parsed_number<int64_t>(text) : 0, text);
  };
  for (uint64_t cell = 0; cell < rows_.size(); ++cell)
    if (!values.is_missing(cell)) levels.emplace(key(texts[cell]), 0);
  std::vector<std::string> names;
  for (auto& [level, code] : levels) {
    code = static_cast<int32_t>(names.size());
    names.push_back(level.second);
  }
  Elements codes = zero_elements(number_type(Kind::integer, 4), rows_.size());
  for (uint64_t cell = 0; cell < rows_.size(); ++cell) {
    if (values.is_missing(cell)) {
      codes.missing.resize(rows_.size());
      codes.missing[cell] = 1;
    } else {
      codes.mutable_values<int32_t>()[cell] = levels.at(key(texts[cell]));
    }
  }
  return plainfs::factor(
      std::make_shared<MemoryArray>(number_type(Kind::integer, 4), Shape{rows_.size()}, std::move(codes)),
      text_array(names), 0, place_, context, false);
}

ArrayPtr RunTable::matrix(const std::vector<size_t>& columns) const {
  const uint64_t cells = rows_.size(), width = columns.size();
  std::vector<double> reals(checked_size(cells, width));
  std::vector<int64_t> all_wholes(reals.size());
  bool are_whole = true;
  for (size_t i = 0; i < columns.size(); ++i) {
    const Values values(*this, columns[i]);
    const auto numbers = values.reals();
    if (!numbers) throw damaged("{}: {} has a value that is not a number", place_, name(columns[i]));
    for (uint64_t cell = 0; cell < cells; ++cell) reals[cell * width + i] = (*numbers)[cell];
    if (!are_whole) continue;
    const auto wholes = values.wholes();
    are_whole = wholes.has_value();
    if (!wholes) continue;
    for (uint64_t cell = 0; cell < cells; ++cell) all_wholes[cell * width + i] = (*wholes)[cell];
  }
  const Shape shape{cells, width};
  return are_whole ? number_array(all_wholes, shape) : number_array(reals, shape);
}

Table run_table_in_text(const std::string& location, const std::vector<std::string>& names,
                        Context& context) {
  const FilePtr file = context.files.open(location);
  auto lines = mex::LineTable::open(file, ',', true, context);
  const std::vector<std::string> first = lines->header();
  if (!names.empty() && first.size() > 1 && parsed_number<double>(first[1]))
    lines = mex::LineTable::open(file, ',', false, context);
  Table table;
  table.rows = lines->lines();
  const std::vector<std::string>& header = lines->header().empty() ? names : lines->header();
  for (size_t i = 0; i < std::max(lines->fields(), header.size()); ++i) {
    if (i >= header.size() || i >= lines->fields())
      throw damaged("{}: {} columns, expected {}", location, lines->fields(), header.size());
    table.columns.push_back({header[i], lines->column(i)});
  }
  return table;
}

Table run_table_in_parquet(const std::string& location, Context& context) {
  const auto files = parquet::TableFiles::open(parquet::files_at(location, context), location, context);
  return {files.parts().rows(), nullptr, files.columns()};
}

}  // namespace plainfs::annotated
