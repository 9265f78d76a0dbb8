// The parts of a Parquet page that are made as they are read, of rows of one column that begin with a run.
#pragma once

#include "fs/native/byte_layout.h"
#include "fs/native/parquet_tally.h"

namespace plainfs {

struct ParquetRows {
  std::shared_ptr<const ParquetTally> tally;
  uint64_t first;
  uint64_t count;

  uint64_t end() const { return first + count; }
  uint64_t values() const { return tally->values_before(end()) - tally->values_before(first); }
};

// The values that are there, one after the other; truth values a bit each.
SegmentPtr parquet_values(const ParquetRows& rows);
// A bit a row, set where there is a value.
SegmentPtr parquet_levels(const ParquetRows& rows);
// The same bytes however often they stand in a file.
SegmentPtr shared_bytes(std::shared_ptr<const std::string> bytes);

}  // namespace plainfs
