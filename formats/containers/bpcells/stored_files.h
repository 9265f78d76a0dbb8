// The two kinds of files in a BPCells directory, as arrays (schemas/bpcells/FORMAT.md, "Directory"). Neither
// caches elements: every read is one pread, served from the kernel's page cache.
#pragma once

#include <string>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs::bpcells {

// Opens a file of numbers: eight letters that name the type, then the elements, little-endian. Bytes after
// the last whole element are ignored. Throws Error(damaged) if the letters do not name type.
ArrayPtr number_file(const std::string& path, const DType& type, Context& context);

// Opens a file of strings, one per line. A line end and one CR before it are not part of the string. A last
// line without a line end counts. Reads the whole file once to count its lines and records the offsets of
// some of them.
ArrayPtr line_file(const std::string& path, Context& context);

}  // namespace plainfs::bpcells
