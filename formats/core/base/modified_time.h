// The clock of file timestamps.
#pragma once

#include <sys/stat.h>

#include <ctime>

namespace plainfs {

// Returns whether `a` is later than `b`.
bool is_later(timespec a, timespec b);
inline bool is_same_time(timespec a, timespec b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}
// Returns the current time by the clock of file timestamps.
timespec file_time();
// Returns whether a file with the mtime `modified` was modified after `then`. A time in the future counts as
// not modified. The kernel stamps files with the time of its last tick, so a modification before the next
// tick is not seen.
bool is_modified_since(timespec modified, timespec then);
// Returns after the next tick, some milliseconds from now.
void wait_for_file_time();

// Accessors for the times of struct stat, which have different names on Linux and macOS.

inline timespec modified_time(const struct stat& status) {
#ifdef __APPLE__
  return status.st_mtimespec;
#else
  return status.st_mtim;
#endif
}

// Returns the time of the last change to content, size, links or mode. Unlike the time of modification it
// cannot be set back.
inline timespec changed_time(const struct stat& status) {
#ifdef __APPLE__
  return status.st_ctimespec;
#else
  return status.st_ctim;
#endif
}

// Returns whether both are the state of one file with the same size and time of modification.
inline bool is_same_state(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         is_same_time(modified_time(a), modified_time(b));
}

inline void set_times(struct stat& status, timespec time) {
#ifdef __APPLE__
  status.st_atimespec = status.st_mtimespec = status.st_ctimespec = time;
#else
  status.st_atim = status.st_mtim = status.st_ctim = time;
#endif
}

}  // namespace plainfs
