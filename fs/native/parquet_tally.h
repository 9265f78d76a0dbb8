// What a pass over a column finds out before its size in a Parquet file is known: how many values are there
// before each run of rows and, of texts, how many bytes they take; and what costs nothing then, the smallest
// and the largest number of each row group.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fs/native/parquet_column.h"

namespace plainfs {

struct ParquetExtremes {
  uint64_t smallest = 0;  // the bytes of a value, little-endian
  uint64_t largest = 0;
  uint64_t nans = 0;  // of reals; then these two say nothing
};

// A survey of a column's array. Runs are of kParquetRun rows.
struct ParquetCounts {
  std::vector<uint64_t> values;           // before each run, and of all
  std::vector<uint64_t> bytes;            // the same of texts; empty: of one size
  std::vector<ParquetExtremes> extremes;  // of each row group; empty: not known
};

class ParquetTally {
 public:
  // Goes over the column where that is needed. rows_in_group: a multiple of kParquetRun.
  ParquetTally(ParquetColumnPtr column, uint64_t rows, uint64_t rows_in_group, Context& context);

  const ParquetColumn& column() const { return *column_; }
  uint64_t rows() const { return rows_; }
  // How many values there are in the rows before this one, which begins a run or is the end; and the bytes
  // of these.
  uint64_t values_before(uint64_t row) const;
  uint64_t bytes_before(uint64_t row) const;
  // Nullopt where they are not known, or there is no value.
  std::optional<ParquetExtremes> extremes(uint64_t group) const;

 private:
  static size_t run_of(uint64_t row) { return row / kParquetRun + (row % kParquetRun != 0); }

  const ParquetColumnPtr column_;
  const uint64_t rows_;
  std::shared_ptr<const ParquetCounts> counts_;  // null: a value a row
  std::vector<uint64_t> in_group_;               // values
};

}  // namespace plainfs
