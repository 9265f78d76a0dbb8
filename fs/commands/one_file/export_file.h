// `plainfs export STORE [PATH] TARGET`, of which TARGET is a file: a store, or a part of it, in one file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/commands/commands.h"
#include "fs/commands/one_file/file_form.h"
#include "fs/session.h"

namespace plainfs {

// The options that a file has and a folder has not.
struct FileOptions {
  std::string of;            // the part that is written; empty: the store's default
  std::optional<int> level;  // of compression; none: that of the format's own writer
  bool replaces = false;     // a file that is there

  bool are_given() const { return !of.empty() || level || replaces; }
};

// Takes them out of the arguments. Throws Failure(kUsage) for a level that is not one of 0 to 9.
FileOptions take_file_options(Arguments& arguments);

// Throws Failure(kNotWritten) if something stands at target that an export does not replace.
void check_target(const std::string& target, const std::string& store, const FileOptions& options);

// Returns whether an export of these paths to target is one of a single file, which depends on the store if
// there is one path. names_views: whether views are named, of which a folder has all files. Throws
// Failure(kUsage) if it can be neither that nor a folder.
bool is_for_one_file(Filesystem& filesystem, const std::string& store, const std::vector<std::string>& paths,
                     const std::string& target, bool names_views, const FileOptions& options);

// Writes target. path: the one that is given, or "". Requires: is_for_one_file().
int export_file(Session& session, const std::string& path, const std::string& target,
                const FileOptions& options);

}  // namespace plainfs
