// What a file is that plainfs does not read, by its bytes, so that a refusal says what to do instead.
#pragma once

#include <string>

#include "formats/core/model/context.h"

namespace plainfs {

// "a gzip file; unpack it first"; empty if the bytes do not tell. Reads the first bytes, of an archive the
// last ones too. Throws what reading the file throws.
std::string foreign_kind(const std::string& path, Context& context);

}  // namespace plainfs
