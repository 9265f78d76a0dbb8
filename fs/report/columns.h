// The columns of a table: the type of each, and the levels of a factor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs {

struct ColumnSummary {
  std::string name;
  std::string type;                         // see type_text()
  std::optional<uint64_t> level_count{};    // of a factor
  std::vector<std::string> first_levels{};  // formatted like in a .csv
};

// Returns a summary of each column. Reads the first levels of factors, and no values.
std::vector<ColumnSummary> column_summaries(const Table& table);

// Returns the type: "truth value", "factor", "real number (float32)".
std::string type_text(const Array& values);

}  // namespace plainfs
