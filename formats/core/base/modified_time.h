// The clock that files are stamped with.
#pragma once

#include <sys/stat.h>

#include <ctime>

namespace plainfs {

// Now, as file times are.
timespec file_time();
// Whether a file with that mtime was modified after then. A time that is still to come says nothing. The
// kernel stamps files with the time of its last tick, so what is modified before the next one is not seen.
bool is_modified_since(timespec modified, timespec then);
// Returns after that tick, some milliseconds from now.
void wait_for_file_time();

// struct stat's times, which Linux and macOS spell differently.

inline timespec modified_time(const struct stat& status) {
#ifdef __APPLE__
  return status.st_mtimespec;
#else
  return status.st_mtim;
#endif
}

// Of the last change to content, size, links or mode: unlike the time of modification it cannot be set back.
inline timespec changed_time(const struct stat& status) {
#ifdef __APPLE__
  return status.st_ctimespec;
#else
  return status.st_ctim;
#endif
}

inline void set_times(struct stat& status, timespec time) {
#ifdef __APPLE__
  status.st_atimespec = status.st_mtimespec = status.st_ctimespec = time;
#else
  status.st_atim = status.st_mtim = status.st_ctim = time;
#endif
}

}  // namespace plainfs
