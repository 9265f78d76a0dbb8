// Bytes to standard output.
#pragma once

#include <string_view>

#include "fs/text/view_file.h"

namespace plainfs {

// False where they are not read any more. Throws Failure(kNotWritten) where they cannot be written.
bool write_out(const Slices& slices);
bool write_out(std::string_view text);
// To be called after all was printed by way of stdout. Throws Failure(kNotWritten) where some of it was lost.
void finish_output();

}  // namespace plainfs
