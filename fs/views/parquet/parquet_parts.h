// The sizes of the columns of a Parquet file, and its footer. PARQUET.md has the facts and their source.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "fs/views/parquet/parquet_column.h"

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

// The result of the pass over a column that computes its size: the number of values before each run of rows
// and, for texts, their bytes. The pass also finds the smallest and largest number of each row group at no
// extra cost.
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

// The values of one column in one row group.
struct ParquetChunk {
  uint64_t begin = 0;       // of its first page in the file
  uint64_t data_page = 0;   // the beginning of its first data page
  uint64_t size = 0;        // of all pages, with their headers
  uint64_t plain_size = 0;  // the same without compression
  uint64_t rows = 0;
  uint64_t missing = 0;
  std::optional<ParquetExtremes> extremes;
};
using ParquetGroup = std::vector<ParquetChunk>;  // one chunk per column; at least one row

using ParquetCodec = parquet::Codec;

// Returns the footer, which describes the content of the file: FileMetaData in Thrift.
std::string parquet_footer(const std::vector<ParquetColumnPtr>& columns,
                           const std::vector<ParquetGroup>& groups, uint64_t rows, bool has_index,
                           ParquetCodec codec);

}  // namespace plainfs
