// `plainfs export STORE [PATH] TARGET` with a file as TARGET: a store, or a part of it, in one file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/commands/commands.h"
#include "fs/commands/one_file/file_form.h"
#include "fs/session.h"

namespace plainfs {

// The options that apply to a single file but not to a folder.
struct FileOptions {
  std::string of;                    // the part to write; empty: the store's default
  std::optional<int> level;          // of compression; nullopt: the default of the format's own writer
  int zarr_version = 0;              // of a .zarr; 0: the usual one
  bool replaces = false;             // replace an existing file
  std::string assay;                 // the assay or modality to write; empty: the store's default
  std::string layer;                 // the layer that is X; empty: X
  std::vector<std::string> without;  // parts to leave out
  bool is_dry_run = false;           // print what would be written, and write nothing
  bool is_quiet = false;             // print errors alone

  bool are_given() const {
    return !of.empty() || level || zarr_version != 0 || replaces || !assay.empty() || !layer.empty() ||
           !without.empty() || is_dry_run || is_quiet;
  }
};

// Removes the file options from the arguments. Throws Failure(kUsage) for a level that is not 0 to 9, and for
// options of other converters, with the name that they have here.
FileOptions take_file_options(Arguments& arguments);

// Removes `--zarr-format V` and returns V, 2 or 3; 0: it is not given.
int take_zarr_version(Arguments& arguments);
// Removes `--level N` and returns N, 0 to 9.
std::optional<int> take_level(Arguments& arguments);

// Throws Failure(kNotWritten) if something exists at target that an export does not replace.
void check_target(const std::string& target, const std::string& store, const FileOptions& options);

// Returns whether an export of these paths to target writes a single file. With one path, that depends on the
// store. names_views: the views are chosen, so that a folder has all their files. Throws Failure(kUsage) if
// target can be neither a file nor a folder.
bool is_for_one_file(Filesystem& filesystem, const std::string& store, const std::vector<std::string>& paths,
                     const std::string& target, bool names_views, const FileOptions& options);

// Writes target. path: the given path, or "". Requires: is_for_one_file().
int export_file(Session& session, const std::string& path, const std::string& target,
                const FileOptions& options);

}  // namespace plainfs
