// What an export is to write: the directories, links and files that a store is shown as, or those below some
// paths in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fs/commands/copy_file.h"
#include "fs/commands/failures.h"
#include "fs/filesystem.h"
#include "fs/session.h"

namespace plainfs {

struct ExportedLink {
  std::string path;
  std::string text;
};

struct Exported {
  std::vector<std::string> folders;  // each after the one it is in
  std::vector<ExportedLink> links;
  std::vector<Copy> files;

  std::vector<std::string> paths() const;  // of all
};

// The store as it is exported: where no views are named, its texts and .npy, from which all else can be made
// again. Where one of the paths is of another view, all of them. options: are told which they are. Throws as
// Session does.
std::unique_ptr<Session> export_session(Options& options, const std::vector<std::string>& paths);
// The same of an export in several tasks: what each has to name.
std::string named_views(const Options& options);

// What is at the paths and below, each file once, all where there are none, the sizes not yet known. What
// cannot be listed is left out and added to failures. Throws not_found for a path that is not there.
Exported find_exported(Filesystem& filesystem, const std::vector<std::string>& paths, Failures& failures);

// Finds out the sizes. Files that have none, or the name of a part (part_file.h), are taken out and added to
// failures.
void measure(Filesystem& filesystem, Workers& workers, std::vector<Copy>& files, Progress& progress,
             Failures& failures);

}  // namespace plainfs
