#include "fs/commands/plan/plan_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <string_view>

#include "formats/core/base/bytes.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/text/json_members.h"
#include "fs/commands/plan/replace_file.h"

namespace plainfs {
namespace {

constexpr char kOwnFolder[] = ".plainfs";

std::string record_name(size_t task) {
  return std::to_string(task + 1);
}

// Returns the names of the files in a directory; none if it cannot be read.
std::vector<std::string> names_in(const Descriptor& folder) {
  const auto close = [](DIR* stream) { ::closedir(stream); };
  const int number =
      folder.number() < 0 ? -1 : ::openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, decltype(close)> stream(number < 0 ? nullptr : ::fdopendir(number));
  std::vector<std::string> names;
  if (!stream) return names;
  while (const dirent* const entry = ::readdir(stream.get()))
    if (entry->d_type != DT_DIR) names.emplace_back(entry->d_name);
  return names;
}

}  // namespace

PlanFolder::PlanFolder(const TargetFolder& folder, const ExportPlan& plan)
    : folder_(folder), plan_(plan), records_(fmt::format("{}/{}", kOwnFolder, plan.id)) {}

std::string PlanFolder::path_of(size_t task) const {
  return fmt::format("{}/{}", records_, record_name(task));
}

bool PlanFolder::has_record(size_t task) const {
  const Descriptor folder = folder_.existing_folder(records_);
  struct stat status {};
  return folder.number() >= 0 &&
         ::fstatat(folder.number(), record_name(task).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

std::optional<TaskRecord> PlanFolder::record(size_t task) const try {
  const Descriptor folder = folder_.existing_folder(records_);
  if (folder.number() < 0) return std::nullopt;
  const Descriptor file(
      ::openat(folder.number(), record_name(task).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.number() < 0) return std::nullopt;
  const std::optional<std::string> content = read_rest(file.number());
  if (!content) return std::nullopt;
  TaskRecord record;
  for_each_required(parse_json(*content), "ranges", [&](const Json& range) {
    RangeRecord& one = record.emplace_back();
    if (range.find("error")) {
      one.error = required_text(range, "error");
      one.code = static_cast<ExitCode>(required_count(range, "code"));
    } else {
      one.crc = static_cast<uint32_t>(required_count(range, "crc32"));
      if (range.find("bytes")) one.size = required_count(range, "bytes");
    }
  });
  if (record.size() != plan_.tasks[task].size()) return std::nullopt;
  for (size_t i = 0; i < record.size(); ++i)
    if (plan_.files[plan_.tasks[task][i].file].packed && record[i].error.empty() && !record[i].size)
      return std::nullopt;
  return record;
} catch (const Error&) {
  return std::nullopt;
}

void PlanFolder::keep_record(size_t task, const TaskRecord& record) const {
  JsonList ranges;
  for (const RangeRecord& range : record) {
    if (range.error.empty() && range.size)
      ranges.add(Json::Object{{"crc32", Json::of(uint64_t{range.crc})}, {"bytes", Json::of(*range.size)}});
    else if (range.error.empty())
      ranges.add(Json::Object{{"crc32", Json::of(uint64_t{range.crc})}});
    else
      ranges.add(Json::Object{{"error", range.error}, {"code", Json::of(int64_t{range.code})}});
  }
  const Json whole =
      Json::Object{{"plan", plan_.id}, {"task", Json::of(uint64_t{task + 1})}, {"ranges", ranges.take()}};
  const std::string text = to_json_text(whole) + "\n";
  const Descriptor folder = folder_.make_folder(records_);
  if (!replace_file(folder, record_name(task), text)) throw disk_failure(folder_.whole(path_of(task)));
}

void PlanFolder::remove_record(size_t task) const {
  const Descriptor folder = folder_.existing_folder(records_);
  if (folder.number() >= 0) ::unlinkat(folder.number(), record_name(task).c_str(), 0);
}

void PlanFolder::remove_records() const {
  for (const std::string& name : names_in(folder_.existing_folder(records_)))
    ::unlinkat(folder_.existing_folder(records_).number(), name.c_str(), 0);
  remove_folders();
}

void PlanFolder::remove_folders() const {
  const Descriptor own = folder_.existing_folder(kOwnFolder), root = folder_.existing_folder("");
  // A directory that is not empty stays.
  if (own.number() >= 0) ::unlinkat(own.number(), plan_.id.c_str(), AT_REMOVEDIR);
  if (root.number() >= 0) ::unlinkat(root.number(), kOwnFolder, AT_REMOVEDIR);
}

bool PlanFolder::is_whole(const PlannedFile& file) const {
  if (!file.packed) return folder_.has_file(file.path, file.size, file.modified);
  return folder_.has_file(file.path, std::nullopt, file.modified) && is_finished(plan_.packed[*file.packed]);
}

bool PlanFolder::is_whole(const PlannedFile& file, const RangeRecord* record) const {
  if (!file.packed || !record || !record->size) return is_whole(file);
  return folder_.has_file(file.path, record->size, file.modified);
}

bool PlanFolder::is_finished(const PlannedFolder& folder) const {
  const PlannedFile& root = plan_.files[folder.root];
  if (!folder_.has_file(root.path, folder.root_size, root.modified)) return false;
  const Descriptor around = folder_.existing_folder(root.path.substr(0, root.path.rfind('/')));
  const Descriptor file(
      ::openat(around.number(), folder_.name_of(root.path).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  const std::optional<std::string> content = file.number() < 0 ? std::nullopt : read_rest(file.number());
  return content && crc32(as_byte_span(*content)) == folder.root_crc;
}

bool PlanFolder::is_whole(size_t task) const {
  const std::vector<PlannedRange>& ranges = plan_.tasks[task];
  if (ranges.empty())
    return std::all_of(plan_.files.begin(), plan_.files.end(),
                       [this](const PlannedFile& file) { return is_whole(file); });
  return std::all_of(ranges.begin(), ranges.end(),
                     [this](const PlannedRange& range) { return is_whole(plan_.files[range.file]); });
}

PartFile PlanFolder::part(size_t file) const {
  const std::string& path = plan_.files[file].path;
  return PartFile(folder_.folder_of(path), planned_part_name(plan_.id, file), folder_.whole(path));
}

PartFile PlanFolder::existing_part(size_t file) const {
  const std::string& path = plan_.files[file].path;
  return PartFile::existing(folder_.folder_of(path), planned_part_name(plan_.id, file), folder_.whole(path));
}

void check_packed_place(const TargetFolder& target, const PlannedFolder& folder) {
  static constexpr std::string_view kZarr2[] = {".zmetadata", ".zgroup", ".zarray", ".zattrs"};
  static constexpr std::string_view kZarr3[] = {"zarr.json"};
  const bool is_version_2 = folder.packing.version == 2;
  const Descriptor place = target.existing_folder(folder.path);
  if (place.number() < 0) return;
  for (const std::string_view name :
       is_version_2 ? std::span(kZarr3) : std::span<const std::string_view>(kZarr2)) {
    struct stat status {};
    if (::fstatat(place.number(), std::string(name).c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    throw Failure(kNotWritten, fmt::format("{}: has {} of another version of Zarr; remove the folder first",
                                           target.whole(folder.path), name));
  }
}

}  // namespace plainfs
