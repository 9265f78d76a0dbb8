// What a file is that plainfs does not read, told by its first bytes, so that a refusal says what to do
// instead.
#pragma once

#include <string>

#include "formats/core/model/context.h"

namespace plainfs {

// "a gzip file; unpack it first", or empty where the bytes say nothing. Throws what reading the file throws.
std::string foreign_kind(const std::string& path, Context& context);

}  // namespace plainfs
