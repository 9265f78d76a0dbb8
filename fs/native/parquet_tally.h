// The result of the pass over a column that computes its size in a Parquet file: the number of values before
// each run of rows and, for texts, their bytes. The pass also finds the smallest and largest number of each
// row group at no extra cost.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fs/native/parquet_column.h"

namespace plainfs {

struct ParquetExtremes {
  uint64_t smallest = 0;  // the bytes of a value, little-endian
  uint64_t largest = 0;
  uint64_t nans = 0;  // for reals; if not 0, smallest and largest are meaningless
};

// A survey of a column's array. Runs are of kParquetRun rows.
struct ParquetCounts {
  std::vector<uint64_t> values;           // before each run, and in total
  std::vector<uint64_t> bytes;            // likewise for texts; empty: values of one size
  std::vector<ParquetExtremes> extremes;  // for each row group; empty: unknown
};

class ParquetTally {
 public:
  // Reads the column if necessary. rows_in_group: a multiple of kParquetRun.
  ParquetTally(ParquetColumnPtr column, uint64_t rows, uint64_t rows_in_group, Context& context);

  const ParquetColumn& column() const { return *column_; }
  uint64_t rows() const { return rows_; }
  // Return the number of values in the rows before `row`, which begins a run or is the end, and their bytes.
  uint64_t values_before(uint64_t row) const;
  uint64_t bytes_before(uint64_t row) const;
  // Returns nullopt if they are unknown or the group has no values.
  std::optional<ParquetExtremes> extremes(uint64_t group) const;

 private:
  static size_t run_of(uint64_t row) { return row / kParquetRun + (row % kParquetRun != 0); }

  const ParquetColumnPtr column_;
  const uint64_t rows_;
  std::shared_ptr<const ParquetCounts> counts_;  // null: one value per row
  std::vector<uint64_t> in_group_;               // values
};

}  // namespace plainfs
