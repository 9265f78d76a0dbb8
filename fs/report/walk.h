// Everything in a directory of a Filesystem and below it, links not followed.
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

// As Filesystem::resolve(), with the nearest name there is in the message where there is none.
Inode resolve_path(Filesystem& filesystem, const std::string& path);

// The same for a path that was given with a store. Throws Failure, with the store in the message.
Inode resolve_given(Filesystem& filesystem, const std::string& store, const std::string& path);

// The start itself first, then what it holds, directory by directory, each in the order of its names. A
// directory that cannot be listed is there all the same and adds to failures. repeated: where it is set, what
// shows the same values again (View::shows_again) below the start is put there and not walked.
std::vector<Walked> walk(Filesystem& filesystem, const std::string& start, std::vector<WalkFailure>& failures,
                         std::vector<Walked>* repeated = nullptr);

// All of what paths name, or of the root where there are none. What no walk comes to and a path names
// (by/COLUMN) is given whole, whatever repeated is.
std::vector<Walked> walk_given(Filesystem& filesystem, const std::vector<std::string>& paths,
                               std::vector<WalkFailure>& failures, std::vector<Walked>* repeated = nullptr);

// "a/b" of "/a//b/".
std::string plain_path(const std::string& path);

}  // namespace plainfs
