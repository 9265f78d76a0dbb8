// A small table that a page makes, column by column: the numbers that it shows, to be taken as a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// The columns have equal lengths. For one thread at a time.
class NumberTable {
 public:
  // A text, or a missing one.
  struct Text {
    std::string_view text;
    bool is_missing = false;
  };

  // Adds a column of texts.
  void add(std::string name, const std::vector<Text>& texts);
  void add(std::string name, const std::vector<std::string>& texts);
  // Adds a column of numbers. NaN is a missing number.
  void add(std::string name, const std::vector<double>& numbers);
  void add(std::string name, const std::vector<uint64_t>& counts);
  // Adds a column of any values.
  void add(std::string name, ArrayPtr values);

  // Returns the table, and leaves this empty.
  Table finish() { return std::move(table_); }

 private:
  Table table_;
};

// The forms in which the numbers of a page can be taken, as ?numbers= names them.
inline constexpr const char* kNumberForms[] = {"csv", "xlsx", "parquet"};
// Returns links to the numbers of the page with that query, in each form.
std::vector<TakeAs> number_files(const Query& query);

}  // namespace plainfs::serve
