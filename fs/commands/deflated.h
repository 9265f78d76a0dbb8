// What a mount shows as BGZF without compression, so that its size is known, is deflated where it is
// exported: each member by itself, so that the copy is read at random too, by an index of its own members.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fs/commands/copy_file.h"
#include "fs/commands/part_file.h"

namespace plainfs {

// Whether the file is such a one, by its first bytes: a text, or the index of one. Throws what reading
// throws.
bool can_be_deflated(Filesystem& filesystem, const Copy& copy);

// Of an index by positions, as the path says: that of the text that it belongs to, "a/x.gz". "" of all else.
std::string_view indexed_text(std::string_view path);

// As is_copied and copy_file; of an index after its text, whose members in the folder it then tells, as they
// are there. wrote is told of the bytes that a mount shows. Requires: can_be_deflated().
bool is_deflated(Filesystem& filesystem, const TargetFolder& folder, const Copy& copy);
void copy_deflated(Filesystem& filesystem, Workers& workers, const TargetFolder& folder, const Copy& copy,
                   const std::function<void(uint64_t)>& wrote);

inline constexpr int kBgzipLevel = 6;  // that of bgzip and htslib

// Writes a text of stored members into output, deflated at a level from 1 to 12. Returns where each member
// begins, and last where the empty one does. wrote as above. Requires: can_be_deflated().
std::vector<uint64_t> write_deflated(Filesystem& filesystem, Workers& workers, const Copy& copy, int level,
                                     PartFile& output, const std::function<void(uint64_t)>& wrote);

// Returns the content of the index by positions that `index` is, for a text whose members begin there.
std::string index_of_deflated(Filesystem& filesystem, Workers& workers, const Copy& index,
                              const std::vector<uint64_t>& begins);

// Returns the size of a file of these members.
uint64_t size_of_deflated(const std::vector<uint64_t>& begins);

}  // namespace plainfs
