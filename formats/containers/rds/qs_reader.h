// Reads the R value in the decoded bytes of a .qs or .qdata file. The result is the tree that Reader
// (reader.h) makes of the same value in an .rds file: functions and similar values are skipped, and an
// environment is the list of its variables. Facts: FORMAT.md.
#pragma once

#include "formats/containers/rds/value.h"
#include "formats/core/base/file.h"
#include "formats/core/model/context.h"

namespace plainfs::rds {

struct QsValue {
  ValuePtr value;
  uint64_t bytes_after = 0;
};

// Reads the value of a .qs file. content: its decoded bytes. shuffled: bits 1, 2, 4 and 8 for logical,
// integer, real and complex vectors that are stored with their bytes apart. Its depth, the number of values
// and the memory they take are bounded. Throws damaged if the data are truncated or nothing that qs writes,
// unsupported if a bound is exceeded.
QsValue read_qs(const FilePtr& content, unsigned shuffled, Context& context);

// Reads the value of a .qdata file likewise.
QsValue read_qdata(const FilePtr& content, Context& context);

}  // namespace plainfs::rds
