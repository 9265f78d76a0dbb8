// Any file as BGZF (the gzip of htslib), without compression: members of one stored block with 32,512 bytes
// of the file each, so that where a byte stands, and how large the whole is, is arithmetic. Members are no
// larger because bedtools takes a first member over 32,768 bytes for an empty file.
#pragma once

#include <memory>

#include "fs/text/view_file.h"

namespace plainfs {

// Bytes of the file in each member but the last. Indexes that others keep rest on it: it never changes.
inline constexpr uint64_t kBgzfPayload = 32512;

// Of the whole, its empty last member included.
uint64_t bgzf_size(uint64_t file_size);

// htslib's virtual offset of the byte at offset, which may be the end of the file.
uint64_t bgzf_virtual_offset(uint64_t offset, uint64_t file_size);

// Reads no more of file than the members that a read touches.
std::unique_ptr<ViewFile> bgzf_file(std::shared_ptr<ViewFile> file);

}  // namespace plainfs
