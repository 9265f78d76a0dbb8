// The content of an export: the directories, links and files of a store, or those below some of its paths,
// and the failures on the way.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/error.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/options.h"
#include "fs/commands/copy_file.h"
#include "fs/commands/whole_folders.h"
#include "fs/filesystem.h"
#include "fs/report/progress.h"
#include "fs/report/walk.h"

namespace plainfs {

class Session;

// Collects the failures of a command that continues after an error: each is printed at once, and sets the
// exit code. Thread-safe.
class Failures {
 public:
  explicit Failures(Progress& progress) : progress_(progress) {}

  void add(const std::string& path, const Error& error) {
    add(fmt::format("{}: {}", path, reason(error)), exit_code_of(error.code()));
  }
  void add(const Failure& failure) { add(failure.what(), failure.code()); }
  void add(const std::string& what, ExitCode code) {
    const MutexLock lock(mutex_);
    progress_.print_line("plainfs: " + what);
    code_ = code;
  }
  // Makes code() report that another attempt may succeed.
  void try_again() {
    const MutexLock lock(mutex_);
    may_pass_ = true;
  }
  // Returns the exit code of the last failure; success without failures.
  ExitCode code() const {
    const MutexLock lock(mutex_);
    return may_pass_ ? kTryAgain : code_;
  }

 private:
  Progress& progress_;
  mutable Mutex mutex_;
  bool may_pass_ GUARDED_BY(mutex_) = false;
  ExitCode code_ GUARDED_BY(mutex_) = kSuccess;
};

struct ExportedLink {
  std::string path;
  std::string text;
};

struct Exported {
  std::vector<std::string> folders;  // each after its parent
  std::vector<ExportedLink> links;
  std::vector<Copy> files;
  std::set<std::string> left_out;   // ".rds", "10x/": views that repeat the same data
  std::vector<std::string> failed;  // files and directories that cannot be listed or measured

  std::vector<std::string> paths() const;  // of all entries
  // Returns the whole folders of the files and the failures.
  WholeFolders whole_folders() const;
};

// Finds everything at the paths and below, each file once, or the whole store if `paths` is empty. The sizes
// are not known yet. Entries that cannot be listed are omitted and added to failures. Without -o views=, each
// value is exported as text and as `.npy`, together with the paths named. Throws not_found for a path that
// does not exist.
Exported find_exported(Filesystem& filesystem, const std::vector<std::string>& paths, const Options& options,
                       Failures& failures);

// Returns a line about the views left out; empty if all are included.
std::string left_out_text(const Exported& found);

// Measures the files. A file without a size, or with the name of a part (part_file.h), is removed and added
// to failures, together with the whole folder (whole_folders.h) that contains it.
void measure(Filesystem& filesystem, Workers& workers, Exported& found, Progress& progress,
             Failures& failures);

// Prints what was left out of the files or changed in them.
void print_notices(const Session& session, const std::string& store);

}  // namespace plainfs
