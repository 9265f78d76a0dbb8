// Bytes to standard output.
#pragma once

#include <string_view>

#include "fs/text/view_file.h"

namespace plainfs {

// False where nobody reads them any more. Throws Failure(kUsage) where they cannot be written.
bool write_out(const Slices& slices);
bool write_out(std::string_view text);

}  // namespace plainfs
