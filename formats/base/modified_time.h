// struct stat's time of modification, which Linux and macOS spell differently.
#pragma once

#include <sys/stat.h>

#include <ctime>

namespace plainfs {

inline timespec modified_time(const struct stat& status) {
#ifdef __APPLE__
  return status.st_mtimespec;
#else
  return status.st_mtim;
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
