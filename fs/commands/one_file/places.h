// The places of files that belong together, such as out.bed, out.bim and out.fam: all are new or all are old.
//
// What is in a place is moved aside, under a name that only its path determines, or a mark is put there if
// the place is free. The first file is moved aside first and gets its place last: while others change, no
// reader finds it. If a step fails, everything is put back. If the program is killed, a process of its own
// (places_keeper.h) puts everything back at once, or removes what was moved aside if the first file has its
// place already. If that process is killed, too, the next export to the first file does so.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fs/commands/one_file/new_file.h"

namespace plainfs {

struct FinishedFile {
  NewFile* file;
  uint64_t size;
};

// Gives the files their places. replaces: false if nothing may be there. Throws Failure(kNotWritten) if the
// disk refuses; the places then have what they had.
void take_places(std::span<const FinishedFile> files, bool replaces);

// Moves the folder `part` into the place of the folder `path`, which is then removed, for file systems that
// cannot exchange two folders in one step. Throws Failure(kNotWritten) if the disk refuses; the place then
// has what it had.
void replace_folder(const std::string& part, const std::string& path);

// Returns whether a program that was replacing the first file and others was killed, or is at it.
bool is_half_replaced(const std::string& first);

// Repairs the places of files, or of one folder, that a killed program was replacing. paths: as for
// take_places(), or the folder. Returns whether there was anything to repair. Throws Failure(kNotWritten),
// with the names, if the disk refuses. Requires: no other process is replacing them, which a NewFile for each
// ensures.
bool repair_places(std::span<const std::string> paths);

}  // namespace plainfs
