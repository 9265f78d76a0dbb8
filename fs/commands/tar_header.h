// The headers of a tar archive in the pax format (POSIX.1-2017, pax, "ustar Interchange Format" and "pax
// Extended Header"), which GNU tar, bsdtar, Python and R read: what ustar has no room for (long paths, sizes
// of 8 GiB and more, parts of a second) stands in records before the entry.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace plainfs {

inline constexpr uint64_t kTarBlock = 512;

// Of a directory, regular file or symbolic link, whose text is link; path: without a slash at its end. As
// many bytes as whole blocks; the content, of status.st_size bytes, and its padding to a whole block follow.
std::string tar_header(const std::string& path, const struct stat& status, const std::string& link = {});

// How many zeros follow a content of that size.
inline uint64_t tar_padding(uint64_t size) {
  return (kTarBlock - size % kTarBlock) % kTarBlock;
}

// Two blocks of zeros.
std::string tar_end();

}  // namespace plainfs
