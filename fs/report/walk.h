// A walk over everything in a directory of a Filesystem and below it, without following links.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fs/filesystem.h"

namespace plainfs {

inline constexpr size_t kPiece = 1 << 20;  // bytes of a file read at a time

struct Walked {
  std::string path;  // from the root, "a/b.csv"; "" for the root itself
  Inode inode = 0;
  FileKind kind = FileKind::directory;
};

struct WalkFailure {
  std::string path;
  Error error;
};

// Resolves a path like Filesystem::resolve(). If it does not exist, the error suggests the nearest name.
Inode resolve_path(Filesystem& filesystem, const std::string& path);

// Resolves a path that was given with a store. Throws Failure, with the store in the message.
Inode resolve_given(Filesystem& filesystem, const std::string& store, const std::string& path);

// Returns the start, then its entries, directory by directory, each sorted by name. A directory that cannot
// be listed is included and added to failures. repeated: if it is not null, entries below the start that show
// the same values again (View::shows_again) are added to it instead of being walked.
std::vector<Walked> walk(Filesystem& filesystem, const std::string& start, std::vector<WalkFailure>& failures,
                         std::vector<Walked>* repeated = nullptr);

// Returns everything in `paths`, or in the root if `paths` is empty. An entry that no walk reaches
// (by/COLUMN) is walked completely if a path names it, regardless of `repeated`.
std::vector<Walked> walk_given(Filesystem& filesystem, const std::vector<std::string>& paths,
                               std::vector<WalkFailure>& failures, std::vector<Walked>* repeated = nullptr);

// Returns "a/b" for "/a//b/".
std::string plain_path(const std::string& path);

}  // namespace plainfs
