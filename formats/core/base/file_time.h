// The clock that files are stamped with.
#pragma once

#include <ctime>

namespace plainfs {

// Now, as file times are.
timespec file_time();
// Whether a file with that mtime was modified after then. A time that is still to come says nothing. The
// kernel stamps files with the time of its last tick, so what is modified before the next one is not seen.
bool is_modified_since(timespec modified, timespec then);
// Returns after that tick, some milliseconds from now.
void wait_for_file_time();

}  // namespace plainfs
