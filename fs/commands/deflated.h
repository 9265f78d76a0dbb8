// Compression of files on export. A mount shows some files as BGZF without compression, so that their size is
// known. Of these, each member is deflated separately, so that the copy supports random access, with an index
// of its own members. Any other file can be written as one gzip stream.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fs/commands/copy_file.h"
#include "fs/commands/part_file.h"

namespace plainfs {

// Returns whether the file is a text of stored members or the index of one, judged by its first bytes. Throws
// the errors of reading.
bool can_be_deflated(Filesystem& filesystem, const Copy& copy);

// Returns the path of the text that an index by position belongs to, "a/x.gz"; "" for any other file.
std::string_view indexed_text(std::string_view path);

// Like is_copied and copy_file. Copy an index after its text: it refers to the members of the text in the
// folder. `wrote` receives the number of bytes as a mount shows them. Requires: can_be_deflated().
bool is_deflated(Filesystem& filesystem, const TargetFolder& folder, const Copy& copy);
void copy_deflated(Filesystem& filesystem, Workers& workers, const TargetFolder& folder, const Copy& copy,
                   const std::function<void(uint64_t)>& wrote);

inline constexpr int kBgzipLevel = 6;  // the default of bgzip and htslib

// Writes a text of stored members to `output`, deflated at a level from 1 to 12. Returns the offset of each
// member, and last that of the empty one. wrote: see above. Requires: can_be_deflated().
std::vector<uint64_t> write_deflated(Filesystem& filesystem, Workers& workers, const Copy& copy, int level,
                                     PartFile& output, const std::function<void(uint64_t)>& wrote);

// Returns the content of the index by position `index`, for a text with members at these offsets.
std::string index_of_deflated(Filesystem& filesystem, Workers& workers, const Copy& index,
                              const std::vector<uint64_t>& begins);

// Returns the size of a file with members at these offsets.
uint64_t size_of_deflated(const std::vector<uint64_t>& begins);

inline constexpr int kGzipLevel = 3;  // the default

// Writes a file as one gzip stream, deflated in pieces on all workers, and returns its size. Calls `wrote`
// with the number of bytes of the file that are done. Throws the errors of reading and writing.
uint64_t write_gzip(Filesystem& filesystem, Workers& workers, const Copy& copy, int level, PartFile& output,
                    const std::function<void(uint64_t)>& wrote);

}  // namespace plainfs
