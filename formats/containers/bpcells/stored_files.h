// The two kinds of files in a BPCells directory, as arrays (FORMAT.md, "Directory"). Neither keeps elements:
// every read is one pread, and the kernel's page cache does the rest.
#pragma once

#include <string>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs::bpcells {

// Numbers: eight letters that name the type, then the elements, little-endian; bytes after the last whole
// element do not count. Throws Error(damaged) where the letters are not those of type.
ArrayPtr number_file(const std::string& path, const DType& type, Context& context);

// Strings: one a line, without the line end and without one CR before it. A last line without a line end
// counts. Reads the file once to count its lines, and remembers where some of them begin.
ArrayPtr line_file(const std::string& path, Context& context);

}  // namespace plainfs::bpcells
