// The target directory of a planned export while it is in progress: the parts of its files, each of full size
// from the start, and a record of every task that has ended. Tasks share nothing else, so they may run at
// once, twice, and again. Every step takes effect atomically.
//
//   DIR/PATH.../.PLAN-NUMBER.plainfs-part   file NUMBER of the plan while tasks write ranges into it
//   DIR/.plainfs/PLAN/I                     JSON: the ranges that task I has written, with the CRC-32 of each
//
// Finishing gives the parts their names and then removes the records. So a task that has been done has either
// its record or all its files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/commands/part_file.h"
#include "fs/commands/plan/export_plan.h"

namespace plainfs {

// The result of one range.
struct RangeRecord {
  uint32_t crc = 0;          // CRC-32 (as in gzip and zip) of its bytes
  ExitCode code = kSuccess;  // otherwise the reason of the failure
  std::string error;
  std::optional<uint64_t> size{};  // bytes of a file of a packed folder
};
using TaskRecord = std::vector<RangeRecord>;  // one per range of the task

// The state of a planned export on disk. Thread-safe, also between processes. plan and folder must outlive
// it. Tasks are counted from 0.
class PlanFolder {
 public:
  PlanFolder(const TargetFolder& folder, const ExportPlan& plan);

  bool has_record(size_t task) const;
  // Returns the record; nullopt if it is missing or unreadable.
  std::optional<TaskRecord> record(size_t task) const;
  // Returns when the record is on disk.
  void keep_record(size_t task, const TaskRecord& record) const;
  void remove_record(size_t task) const;
  // Removes all records, also those that a killed task left half written, and their directory.
  void remove_records() const;
  // Removes the directory of the records if it is empty.
  void remove_folders() const;

  // Returns whether the file has its name, size and time. One of a packed folder, of which no size is known
  // before it is written, is whole if the folder is finished: its root document is the planned one, which
  // comes last.
  bool is_whole(const PlannedFile& file) const;
  // Returns that of a file with this record of its range; null: it has no record.
  bool is_whole(const PlannedFile& file, const RangeRecord* record) const;
  // Returns whether all files of the task are whole; for a task without files, all files of the plan.
  bool is_whole(size_t task) const;

  // Returns the part of file number `file` in the plan.
  PartFile part(size_t file) const;
  PartFile existing_part(size_t file) const;

 private:
  std::string path_of(size_t task) const;
  bool is_finished(const PlannedFolder& folder) const;

  const TargetFolder& folder_;
  const ExportPlan& plan_;
  const std::string records_;  // the directory of the records, below the folder
};

// Throws Failure(kNotWritten) if a packed folder would lie where an earlier export has left documents of
// another version of Zarr, which some readers would take for those of the folder.
void check_packed_place(const TargetFolder& target, const PlannedFolder& folder);

}  // namespace plainfs
