// An export that many processes share, as `plainfs export --plan` writes it down: the store and what it
// looked like, every file with its exact size, and the tasks, each a list of ranges of bytes of those files.
// A file may be shared by all tasks. The plan is JSON, which can be read and made without plainfs.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "formats/core/base/sources.h"
#include "fs/command_line/options.h"
#include "fs/commands/exported.h"

namespace plainfs {

struct PlannedFile {
  std::string path;   // below the directory that is written to
  uint64_t size = 0;  // bytes
  timespec modified{};
};

struct PlannedRange {
  size_t file = 0;  // of ExportPlan::files
  uint64_t first = 0;
  uint64_t size = 0;  // bytes; 0 only of an empty file
};

// A file beside the store that the views are made with: of -o cells= or -o genome=. No path: none.
struct PlannedOption {
  std::string path;
  std::string digest;  // of its text
};

struct ExportPlan {
  std::string store;   // its location
  std::string views;   // as in Options
  std::string subdir;  // and this
  ReadOptions read;    // but the query of a URL, which may be its key, and what cells and genome say
  PlannedOption cells;
  PlannedOption genome;
  std::vector<SourceStamp> sources;  // all that the store was read from, as it was
  std::vector<std::string> folders;
  std::vector<ExportedLink> links;
  std::vector<PlannedFile> files;
  std::vector<std::vector<PlannedRange>> tasks;  // task 1 first
  std::string id;  // of what the plan says, made of its text; two plans that say the same have the same

  uint64_t bytes() const;
  std::vector<std::string> paths() const;  // of all folders, links and files
};

// Throws Failure: kNotFound where there is none, kDamaged where it is no plan, leads out of the directory
// ("../a"), or its ranges are not each byte of every file once.
ExportPlan read_plan(const std::string& path);
// In one step. Throws Failure(kNotWritten). Requires: path is absolute.
void write_plan(const ExportPlan& plan, const std::string& path);

// Where the index of sizes (fs/index) of the plan at that path lies, so that tasks measure nothing.
inline std::string sizes_folder(const std::string& plan) {
  return plan + ".sizes";
}

// Shares the bytes of the files among so many tasks, as evenly as cuts allow. Of a large file every task has
// an equal part, whatever a byte of it costs to make (text of doubles takes half as long again as text of
// integers); the others follow each other. A file is cut only where cut(file, offset), a place at or before
// offset, says that it is best cut.
std::vector<std::vector<PlannedRange>> share_out(
    const std::vector<PlannedFile>& files, size_t tasks,
    const std::function<uint64_t(size_t file, uint64_t offset)>& cut);

// What a file takes beside its bytes, in bytes: that of making it.
inline constexpr uint64_t kFileCost = 64 << 10;

}  // namespace plainfs
