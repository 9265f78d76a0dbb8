// The headers of a tar archive in the pax format (POSIX.1-2017, pax, "ustar Interchange Format" and "pax
// Extended Header"), which GNU tar, bsdtar, Python and R read. Values that do not fit into ustar (long paths,
// sizes of 8 GiB and more, fractions of a second) are in records before the entry.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace plainfs {

inline constexpr uint64_t kTarBlock = 512;

// Returns the header of a directory, regular file or symbolic link. path: without a trailing slash. link: the
// link's target. The header is a multiple of the block size. The content of status.st_size bytes and its
// padding to a whole block follow.
std::string tar_header(const std::string& path, const struct stat& status, const std::string& link = {});

// Returns how many zeros follow a content of that size.
inline uint64_t tar_padding(uint64_t size) {
  return (kTarBlock - size % kTarBlock) % kTarBlock;
}

// Returns two blocks of zeros.
std::string tar_end();

}  // namespace plainfs
