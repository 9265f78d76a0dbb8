// Tables as Parquet files. What is written, and where that is said: PARQUET.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/native/byte_layout.h"
#include "fs/native/parquet_column.h"

namespace plainfs {

struct ParquetLimits {
  uint64_t rows_in_group = 122880;  // a multiple of kParquetRun
  uint64_t page_bytes =
      uint64_t{1} << 30;  // that a page of texts has no more than, where it has several runs
};

// The row names, where there are any, are the first column, called _index. Names that are there already get
// _1, _2, …; a compound is a column a member. Goes over what may be missing and over texts. Throws damaged
// where a column is not as long as the table or a name or text is not UTF-8, and unsupported where there are
// too many rows or columns.
ByteLayout table_parquet(const Table& table, Context& context);

// The same with pages that zstd compresses; a page of texts has about a megabyte.
std::unique_ptr<const PackedForm> packed_table_parquet(const Table& table, Context& context);

// The first of columns of `rows` rows each with distinct names; has_index: the first one is the row names.
ByteLayout parquet(const std::vector<ParquetColumnPtr>& columns, uint64_t rows, bool has_index,
                   const ParquetLimits& limits, Context& context);

// Whether there is a file of it: one without columns and row names no reader takes.
bool has_parquet(const Table& table);

}  // namespace plainfs
