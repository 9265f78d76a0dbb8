// A directory that a planned export goes into, while it does: the parts of its files, each of its full size
// from the first on, and a record of every task that has ended. Nothing else is shared by the tasks, so they
// may run at once, twice, and again; every step takes effect at once or not at all.
//
//   DIR/PATH.../.PLAN-NUMBER.plainfs-part   file NUMBER of the plan while tasks write ranges into it
//   DIR/.plainfs/PLAN/I                     JSON: what task I has written, with the CRC-32 of each range
//
// Finishing gives the parts their names and then removes the records. So what a task has to know, whether it
// has been done already, is always one or the other: its record is there, or all its files are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/commands/part_file.h"
#include "fs/commands/plan/export_plan.h"

namespace plainfs {

// What became of one range.
struct RangeRecord {
  uint32_t crc = 0;          // CRC-32 (that of gzip and zip) of its bytes
  ExitCode code = kSuccess;  // else why they cannot be made
  std::string error;
};
using TaskRecord = std::vector<RangeRecord>;  // as many as the task has ranges

// Thread-safe, also against other processes. plan and folder outlive it. Tasks are counted from 0 here.
class PlanFolder {
 public:
  PlanFolder(const TargetFolder& folder, const ExportPlan& plan);

  bool has_record(size_t task) const;
  // nullopt where there is none, or none that can be read.
  std::optional<TaskRecord> record(size_t task) const;
  // Where the disk holds what was written.
  void keep_record(size_t task, const TaskRecord& record) const;
  void remove_record(size_t task) const;
  // And their directory, where nothing else is in it.
  void remove_records(const std::vector<size_t>& tasks) const;

  // Whether the file has its name, size and time.
  bool is_whole(const PlannedFile& file) const;
  // Whether all files of the task have; of a task without any, all files of the plan.
  bool is_whole(size_t task) const;

  // Of the file with that number in the plan.
  PartFile part(size_t file) const;
  PartFile existing_part(size_t file) const;

 private:
  std::string path_of(size_t task) const;

  const TargetFolder& folder_;
  const ExportPlan& plan_;
  const std::string records_;  // their directory, below the folder
};

}  // namespace plainfs
