// What an export is to write: the directories, links and files that a store is shown as, or those below some
// paths in it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fs/command_line/options.h"
#include "fs/commands/copy_file.h"
#include "fs/commands/failures.h"
#include "fs/commands/whole_folders.h"
#include "fs/filesystem.h"
#include "fs/report/walk.h"

namespace plainfs {

struct ExportedLink {
  std::string path;
  std::string text;
};

struct Exported {
  std::vector<std::string> folders;  // each after the one it is in
  std::vector<ExportedLink> links;
  std::vector<Copy> files;
  std::set<std::string> left_out;   // ".rds", "10x/": what shows the same again
  std::vector<std::string> failed;  // what cannot be listed or has no size

  std::vector<std::string> paths() const;  // of all
  // Of the files, and of what failed.
  WholeFolders whole_folders() const;
};

// What is at the paths and below, each file once, all where there are none, the sizes not yet known. What
// cannot be listed is left out and added to failures. Who names no views is given each value as text and as
// `.npy`, and the paths that he names. Throws not_found for a path that is not there.
Exported find_exported(Filesystem& filesystem, const std::vector<std::string>& paths, const Options& options,
                       Failures& failures);

// A line about what was left out; empty where that is nothing.
std::string left_out_text(const Exported& found);

// Finds out the sizes. Files that have none, or the name of a part (part_file.h), are taken out and added to
// failures, and so is all of a folder of theirs that is written as a whole or not.
void measure(Filesystem& filesystem, Workers& workers, Exported& found, Progress& progress,
             Failures& failures);

}  // namespace plainfs
