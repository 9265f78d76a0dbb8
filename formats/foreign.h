// Recognition of files that plainfs does not read, by their first bytes, so that the error can name a tool
// that reads them.
#pragma once

#include <string>

#include "formats/core/model/context.h"

namespace plainfs {

// Returns a description of the file at path, for example "a gzip file; unpack it first"; empty if its bytes
// are not recognised. Reads the first bytes, and the last ones of a zip archive. Throws what reading the file
// throws.
std::string foreign_kind(const std::string& path, Context& context);

}  // namespace plainfs
