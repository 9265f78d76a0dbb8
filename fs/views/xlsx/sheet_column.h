// A column of a sheet of Excel: which form each of its values has in a cell. XLSX.md has the facts and their
// source.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "fs/views/table/factor_codes.h"
#include "fs/views/xlsx/cell_text.h"

namespace plainfs {

// The number of rows in which shared texts are counted together.
inline constexpr uint64_t kSharedRun = 1024;

// Returns the day number of Excel for a number of days or seconds (`unit`) since 1970; nullopt if there is
// none from which the same time can be read: before 1900-03-01, after 9999, or with more digits than
// microseconds.
std::optional<double> serial_of(TimeUnit unit, double number);

// Const and thread-safe, except for set_first_shared().
class SheetColumn {
 public:
  // values: as many as the table has rows, not compounds. number: of the column in its sheet. place: of the
  // file, for notices. Reads levels, and a few values.
  SheetColumn(std::string name, ArrayPtr values, uint64_t number, std::string place, Context& context);

  const std::string& name() const { return name_; }
  const std::string& letters() const { return letters_; }
  // Returns the approximate number of characters of the widest value.
  uint64_t width() const { return width_; }
  // Returns the array to read for the cells: the values, or the codes of a factor.
  const ArrayPtr& stored() const { return stored_; }

  // Returns the levels of a factor, all of which are shared strings; empty for other columns.
  std::vector<std::string> levels() const;
  // Returns the number of shared texts in the rows before `row`, 0 for a factor. Requires: `row` begins a run
  // or is the end. The first call reads all texts.
  uint64_t shared_before(uint64_t row) const;
  // Returns the texts in rows [first, first + count) that are shared.
  std::vector<std::string> shared_texts(uint64_t first, uint64_t count) const;
  // Sets the number of the first shared string of this column.
  void set_first_shared(uint64_t number) { first_shared_ = number; }

 private:
  friend class SheetCells;
  enum class Form { number, truth, time, text, factor };
  // Values that Excel cannot hold as such, each kind reported once.
  enum Loss { kLargeInteger, kOddTime, kInfinity, kLosses };
  // The counts of shared texts before each run, and in total.
  struct SharedCounts {
    std::vector<uint64_t> before;
  };

  Form form_of(const DType& type) const;
  uint64_t find_width() const;
  SharedCounts count_shared() const;
  void report(Loss loss) const;

  const std::string name_, letters_, place_;
  Context& context_;
  const ArrayPtr values_;
  std::optional<NativeFactor> factor_;
  ArrayPtr stored_;
  Form form_;
  uint64_t width_ = 0;
  uint64_t first_shared_ = 0;
  mutable std::atomic<bool> is_reported_[kLosses] = {};
};

// Writes the cells of a column in a run of rows, in order.
class SheetCells {
 public:
  // `elements`, of column.stored(), contain those of the rows [row, row + count) from `first` on. All must
  // outlive this object.
  SheetCells(const SheetColumn& column, const Elements& elements, uint64_t first, uint64_t count,
             uint64_t row);

  // Appends the cell of the next row, or nothing if it is empty. row_number: in the sheet, in decimal.
  void append_next(std::string_view row_number, std::string& out);

 private:
  void append_number(uint64_t i, std::string_view row_number, std::string& out);
  bool append_time(uint64_t i, std::string_view row_number, std::string& out);
  void append_other(uint64_t i, std::string_view row_number, std::string& out);
  void append_text(std::string_view text, std::string_view row_number, std::string& out);
  void append_shared(uint64_t number, std::string_view row_number, std::string& out);
  // Appends a cell. attributes: without the place, each with a blank before it.
  void append_cell(std::string_view row_number, std::string_view attributes, std::string_view value,
                   std::string& out);

  const SheetColumn& column_;
  const DType& type_;
  const Elements& elements_;
  const uint64_t first_;
  const std::string begin_;
  std::vector<uint64_t> places_;  // of the levels of a factor
  uint64_t next_ = 0;
  uint64_t next_shared_ = 0;
  std::string scratch_;
};

}  // namespace plainfs
