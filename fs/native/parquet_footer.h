// The footer of a Parquet file, which describes its content.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/native/parquet_tally.h"

namespace plainfs {

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

enum class ParquetCodec { none = 0, zstd = 6 };  // CompressionCodec

// Returns FileMetaData in Thrift.
std::string parquet_footer(const std::vector<ParquetColumnPtr>& columns,
                           const std::vector<ParquetGroup>& groups, uint64_t rows, bool has_index,
                           ParquetCodec codec);

}  // namespace plainfs
