// Any file as BGZF (the gzip of htslib), without compression. Each member is one stored block with 32,512
// bytes of the file, so all offsets and the total size are computable. Members are no larger because bedtools
// takes a file with a first member over 32,768 bytes for empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "fs/text/view_file.h"

namespace plainfs {

// Bytes of the file in each member but the last. Must never change, because indexes saved by users depend on
// it.
inline constexpr uint64_t kBgzfPayload = 32512;

// A member (SAM specification, 4.1): kBgzfBegin, its size less 1 in 2 bytes, deflate blocks, and the CRC-32
// and the length of its content in 4 bytes each.
inline constexpr std::string_view kBgzfBegin("\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0\x42\x43\x02\0", 16);
inline constexpr size_t kBgzfHeader = 18, kBgzfTrailer = 8;
inline constexpr size_t kBgzfStoredHeader = kBgzfHeader + 5;  // includes the header of a stored block
inline constexpr uint64_t kBgzfStoredMember = kBgzfPayload + kBgzfStoredHeader + kBgzfTrailer;
// The empty member that ends every file, as written by htslib.
inline constexpr std::string_view kBgzfEnd(
    "\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0\x42\x43\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0", 28);

// Returns the size of the whole BGZF file, including its empty last member.
uint64_t bgzf_size(uint64_t file_size);

// Returns htslib's virtual offset of the byte at `offset`, which may be the end of the file.
uint64_t bgzf_virtual_offset(uint64_t offset, uint64_t file_size);

// Returns `file` as BGZF. Reads only the members that a read touches.
std::unique_ptr<ViewFile> bgzf_file(std::shared_ptr<ViewFile> file);

}  // namespace plainfs
