// A plan of an export that many processes share, written by `plainfs export --plan`: the store and its state,
// every file with its exact size, and the tasks, each a list of byte ranges of those files. All tasks may
// share a file, but one of a packed folder is written whole by one task, and its size is known then. The plan
// is JSON, which can be read and written without plainfs.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/base/sources.h"
#include "fs/command_line/options.h"
#include "fs/commands/exported.h"
#include "fs/text/packed_form.h"

namespace plainfs {

struct PlannedFile {
  std::string path;   // below the target directory
  uint64_t size = 0;  // bytes; in a packed folder PackedFile::bytes
  timespec modified{};
  std::optional<size_t> packed{};  // index in ExportPlan::packed
};

// A folder that is written compressed, such as anndata.zarr.
struct PlannedFolder {
  std::string path;
  FolderPacking packing;
  size_t root = 0;         // index in ExportPlan::files of the document that readers need first
  uint64_t root_size = 0;  // in bytes
  uint32_t root_crc = 0;   // CRC-32 of its bytes
};

struct PlannedRange {
  size_t file = 0;  // index in ExportPlan::files
  uint64_t first = 0;
  uint64_t size = 0;  // bytes; 0 only for an empty file
};

// A file besides the store that determines the views: that of -o cells= or -o genome=. Empty path: not used.
struct PlannedOption {
  std::string path;
  std::string digest;  // of its text
};

struct ExportPlan {
  std::string store;   // its location
  std::string views;   // see Options
  std::string subdir;  // see Options, too
  ReadOptions read;    // without the query of a URL, which may be a key, and without cells and genome
  PlannedOption cells;
  PlannedOption genome;
  std::vector<SourceStamp> sources;  // everything that the store was read from, as it was
  std::vector<std::string> folders;
  std::vector<ExportedLink> links;
  std::vector<PlannedFile> files;
  std::vector<PlannedFolder> packed;
  std::vector<std::vector<PlannedRange>> tasks;  // task 1 first
  std::string id;                                // a digest of the plan's text: equal plans have equal ids

  uint64_t bytes() const;
  std::vector<std::string> paths() const;  // of all folders, links and files
};

// Reads a plan. Throws Failure: kNotFound if it is missing, and kDamaged if it is invalid, has paths outside
// of the directory ("../a"), or its ranges do not cover each byte of every file exactly once, or divide a
// file of a packed folder.
ExportPlan read_plan(const std::string& path);
// Writes a plan atomically. Throws Failure(kNotWritten). Requires: path is absolute.
void write_plan(const ExportPlan& plan, const std::string& path);

// Returns the folder of the index of sizes (fs/index) for the plan at that path, with which tasks need not
// measure.
inline std::string sizes_folder(const std::string& plan) {
  return plan + ".sizes";
}

// Distributes the bytes of the files over the tasks, as evenly as the possible cuts allow. A large file is
// divided equally among all tasks, whatever its bytes cost to generate (text of doubles takes half as long
// again as text of integers). The other files are assigned in order, then those of packed folders, the
// largest first, each to the task with the fewest bytes. cut(file, offset) returns the best place for a cut
// at or before offset, of a file that may be cut.
std::vector<std::vector<PlannedRange>> share_out(
    const std::vector<PlannedFile>& files, size_t tasks,
    const std::function<uint64_t(size_t file, uint64_t offset)>& cut);

// The cost of generating a file besides its bytes, in bytes.
inline constexpr uint64_t kFileCost = 64 << 10;

}  // namespace plainfs
