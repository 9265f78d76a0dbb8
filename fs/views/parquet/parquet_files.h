// Tables as Parquet files. PARQUET.md describes the output and its sources.
#pragma once

#include <memory>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/layout/byte_layout.h"
#include "fs/views/file_rows.h"
#include "fs/views/parquet/parquet_column.h"

namespace plainfs {

struct ParquetLimits {
  uint64_t rows_in_group = 122880;          // a multiple of kParquetRun
  uint64_t page_bytes = uint64_t{1} << 30;  // limit for pages of text that have several runs
};

// Returns the file of `table`. Row names, if any, are the first column, called _index. Duplicate names get
// _1, _2, and so on. A compound becomes one column per member. Reads columns that may have missing values,
// and texts. Throws damaged if the length of a column differs from the table's or a name or text is not
// UTF-8, and unsupported if there are too many rows or columns.
ByteLayout table_parquet(const Table& table, Context& context);

// Like table_parquet(), with pages compressed by zstd. A page of texts has about a megabyte.
std::unique_ptr<const PackedForm> packed_table_parquet(const Table& table, Context& context);

// Returns the file of columns of `rows` rows each, with distinct names. has_index: the first column holds the
// row names.
ByteLayout columns_parquet(const std::vector<ParquetColumnPtr>& columns, uint64_t rows, bool has_index,
                           const ParquetLimits& limits, Context& context);

// NAME.parquet of a table that has a NAME.rds, and of an array of compounds.
void offer_parquet_of_table(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_parquet_of_array(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
