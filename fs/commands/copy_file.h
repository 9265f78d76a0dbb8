// Writes one file of a Filesystem to disk: several pieces are made at once and written in their order under a
// temporary name, which the finished file loses. What an earlier run has left of it is taken up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fs/commands/target_folder.h"
#include "fs/filesystem.h"

namespace plainfs {

struct Copy {
  Inode inode = 0;
  std::string path;   // below the folder
  uint64_t size = 0;  // bytes
};

inline constexpr uint64_t kExportPiece = 4 << 20;  // bytes made by one thread at a time

// Calls use with each piece of the bytes [first, end) of the file, in their order, several being made at
// once, until it returns false. Throws what reading throws, and damaged where there are fewer.
void make_pieces(Filesystem& filesystem, Workers& workers, const OpenFile& file, uint64_t first, uint64_t end,
                 const std::function<bool(uint64_t offset, const Slices& piece)>& use);

// Whether it is there already, of that size and with the time of the store.
bool is_copied(Filesystem& filesystem, const TargetFolder& folder, const Copy& copy);

// wrote is told how many bytes there are more, also those found from an earlier run. Throws what reading
// throws, and what TargetFolder does; a part that was written stays for the next run, unless
// reading has failed.
void copy_file(Filesystem& filesystem, Workers& workers, const TargetFolder& folder, const Copy& copy,
               const std::function<void(uint64_t)>& wrote);

}  // namespace plainfs
