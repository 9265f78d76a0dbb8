// The footer of a Parquet file: what is in it and where.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/native/parquet_tally.h"

namespace plainfs {

// The values of one column in one row group.
struct ParquetChunk {
  uint64_t begin = 0;       // of its first page in the file
  uint64_t data_page = 0;   // where its first data page begins
  uint64_t size = 0;        // of all pages, with their headers
  uint64_t plain_size = 0;  // the same, had they not been compressed
  uint64_t rows = 0;
  uint64_t missing = 0;
  std::optional<ParquetExtremes> extremes;
};
using ParquetGroup = std::vector<ParquetChunk>;  // a chunk a column; of rows, one at least

enum class ParquetCodec { none = 0, zstd = 6 };  // CompressionCodec

// FileMetaData in Thrift.
std::string parquet_footer(const std::vector<ParquetColumnPtr>& columns,
                           const std::vector<ParquetGroup>& groups, uint64_t rows, bool has_index,
                           ParquetCodec codec);

}  // namespace plainfs
