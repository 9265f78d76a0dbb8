#include "fs/report/columns.h"

#include <algorithm>

#include "formats/core/model/arrays/factor.h"
#include "formats/core/model/elements/element_text.h"

namespace plainfs {
namespace {

constexpr uint64_t kMaxLevelsRead = 100'000;  // factors with more levels show none of them
constexpr uint64_t kShownLevels = 8;

void add_levels(const Array& levels, ColumnSummary& column) {
  column.level_count = levels.count();
  if (levels.count() == 0 || levels.count() > kMaxLevelsRead) return;
  const Elements elements = levels.peek(range(0, std::min(levels.count(), kShownLevels)));
  for (uint64_t i = 0; i < elements.count; ++i) {
    std::string& text = column.first_levels.emplace_back();
    if (elements.is_missing(i))
      text = "NA";
    else
      append_plain(levels.dtype(), elements, i, text);
  }
}

}  // namespace

std::string type_text(const Array& values) {
  if (const FactorParts* const factor = unchecked_factor_parts(values))
    return factor->is_ordered ? "ordered factor" : "factor";
  const DType& type = values.dtype();
  if (type.is_truth()) return "truth value";
  if (type.is_text() || type.kind == Kind::fixed_utf32) return "text";
  if (type.is_integer()) return "whole number (" + type.name() + ")";
  if (type.kind == Kind::real) return "real number (" + type.name() + ")";
  return type.name();
}

std::vector<ColumnSummary> column_summaries(const Table& table) {
  std::vector<ColumnSummary> columns;
  for (const Column& column : table.columns) {
    columns.push_back({column.name, type_text(*column.values)});
    if (const FactorParts* const factor = unchecked_factor_parts(*column.values))
      add_levels(*factor->levels, columns.back());
  }
  return columns;
}

}  // namespace plainfs
