// Writing bytes to standard output.
#pragma once

#include <string_view>

#include "fs/text/view_file.h"

namespace plainfs {

// Returns false if the reader has closed the pipe. Throws Failure(kNotWritten) if writing fails.
bool write_out(const Slices& slices);
bool write_out(std::string_view text);
// Call it after all output through stdout. Throws Failure(kNotWritten) if some of it was lost.
void finish_output();

}  // namespace plainfs
