#include "fs/commands/plan/export_plan.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "formats/core/base/descriptor.h"
#include "formats/core/text/json_members.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/split.h"
#include "fs/command_line/exit_code.h"
#include "fs/commands/part_file.h"
#include "fs/commands/plan/replace_file.h"

namespace plainfs {
namespace {

constexpr int64_t kPlanVersion = 3;
constexpr uint64_t kMaxBytes = uint64_t{1} << 62;
constexpr uint64_t kMaxPackedLevel = 9;

// Rejects paths outside of the target directory, whatever a plan contains.
const std::string& checked_path(const std::string& path) {
  const std::vector<std::string_view> names = split(path, '/');
  const auto is_no_name = [](std::string_view name) {
    return name.empty() || name == "." || name == ".." || name.find('\0') != name.npos;
  };
  if (names.front() == ".plainfs" || std::any_of(names.begin(), names.end(), is_no_name))
    throw damaged("{}: not a path in a store", path);
  return path;
}

// Checks that the ranges cover each byte of every file once, and the files of packed folders as a whole.
void check_ranges(const ExportPlan& plan) {
  std::vector<std::vector<PlannedRange>> of_file(plan.files.size());
  for (const auto& task : plan.tasks) {
    for (const PlannedRange& range : task) {
      if (range.file >= plan.files.size()) throw damaged("no file {}", range.file);
      of_file[range.file].push_back(range);
    }
  }
  for (size_t i = 0; i < of_file.size(); ++i) {
    std::sort(of_file[i].begin(), of_file[i].end(),
              [](const PlannedRange& a, const PlannedRange& b) { return a.first < b.first; });
    uint64_t at = 0;
    bool is_whole = !of_file[i].empty();
    for (const PlannedRange& range : of_file[i]) {
      is_whole = is_whole && range.first == at && range.size <= plan.files[i].size - at &&
                 (range.size > 0 || plan.files[i].size == 0);
      if (!is_whole) break;
      at += range.size;
    }
    if (!is_whole || at != plan.files[i].size)
      throw damaged("{}: its ranges do not cover each of its bytes once", plan.files[i].path);
    if (plan.files[i].packed && of_file[i].size() != 1)
      throw damaged("{}: several tasks share a file of a packed folder", plan.files[i].path);
  }
}

Json json_of(const PlannedOption& option) {
  return Json::Object{{"file", option.path}, {"digest", option.digest}};
}

Json json_of(const JoinOptions::Member& store) {
  return Json::Object{{"store", store.location}, {"label", store.label}};
}

Json json_of(const SourceStamp& source) {
  return Json::Object{{"name", source.name}, {"stamp", source.stamp}};
}

Json json_of(const std::string& folder) {
  return folder;
}

Json json_of(const ExportedLink& link) {
  return Json::Object{{"path", link.path}, {"text", link.text}};
}

Json json_of(const PlannedFile& file) {
  const Json::List modified{Json::of(int64_t{file.modified.tv_sec}),
                            Json::of(int64_t{file.modified.tv_nsec})};
  Json::Object text{{"path", file.path}, {"bytes", Json::of(file.size)}, {"modified", modified}};
  if (file.packed) text.emplace_back("packed", Json::of(uint64_t{*file.packed}));
  return text;
}

Json json_of(const PlannedFolder& folder) {
  const std::optional<int> level = folder.packing.level;
  return Json::Object{{"path", folder.path},
                      {"version", Json::of(int64_t{folder.packing.version})},
                      {"level", level ? Json::of(int64_t{*level}) : Json()},
                      {"file_bytes", Json::of(folder.packing.file_bytes)},
                      {"root_bytes", Json::of(folder.root_size)},
                      {"root_crc32", Json::of(uint64_t{folder.root_crc})}};
}

Json json_of(const PlannedRange& range) {
  return Json::List{Json::of(uint64_t{range.file}), Json::of(range.first), Json::of(range.size)};
}

template <class Items>
Json list_of(const Items& items) {
  JsonList list;
  for (const auto& item : items) list.add(json_of(item));
  return list.take();
}

Json tasks_of(const ExportPlan& plan) {
  JsonList tasks;
  for (uint64_t i = 0; i < plan.tasks.size(); ++i)
    tasks.add(Json::Object{{"id", Json::of(i + 1)}, {"ranges", list_of(plan.tasks[i])}});
  return tasks.take();
}

PlannedOption option_of(const Json& options, const char* name) {
  const Json* const option = options.find(name);
  if (!option) return {};
  return {required_text(*option, "file"), required_text(*option, "digest")};
}

std::shared_ptr<const JoinOptions> join_of(const Json& options) {
  const Json* const text = options.find("join");
  if (!text) return nullptr;
  JoinOptions join;
  join.is_outer = required_flag(*text, "outer");
  join.column = required_text(*text, "column");
  for_each_required(*text, "stores", [&](const Json& store) {
    join.stores.push_back({required_text(store, "store"), required_text(store, "label")});
  });
  if (join.stores.empty()) throw damaged("a plan of joined stores without a store");
  return std::make_shared<const JoinOptions>(std::move(join));
}

Json options_of(const ExportPlan& plan) {
  Json::Object options{{"views", plan.views},
                       {"subdir", plan.subdir},
                       {"missing_is_error", plan.read.absent_chunk_is_error},
                       {"header", plan.read.array_header},
                       {"rowname", plan.read.row_name_header},
                       {"ragged_is_count", plan.read.ragged_as_count},
                       {"genes_in_rows", plan.read.genes_in_rows ? Json(*plan.read.genes_in_rows) : Json()},
                       {"hdf5_plugins", plan.read.hdf5_plugins},
                       {"cells", json_of(plan.cells)},
                       {"genome", json_of(plan.genome)},
                       {"follow_outside", plan.read.follow_outside},
                       {"no_sign", plan.read.remote.no_sign},
                       {"forbidden_is_absent", plan.read.remote.forbidden_is_absent},
                       {"endpoint", plan.read.remote.endpoint},
                       {"header_file", plan.read.remote.header_file},
                       {"region", plan.read.remote.region}};
  if (plan.read.join)
    options.emplace_back("join", Json::Object{{"outer", plan.read.join->is_outer},
                                              {"column", plan.read.join->column},
                                              {"stores", list_of(plan.read.join->stores)}});
  return options;
}

Json json_of(const ExportPlan& plan) {
  return Json::Object{{"plainfs_plan", Json::of(kPlanVersion)},
                      {"store", plan.store},
                      {"options", options_of(plan)},
                      {"sources", list_of(plan.sources)},
                      {"folders", list_of(plan.folders)},
                      {"links", list_of(plan.links)},
                      {"files", list_of(plan.files)},
                      {"packed", list_of(plan.packed)},
                      {"tasks", tasks_of(plan)}};
}

// Returns the whole number at a place of a list, as the type T.
template <class T>
T number_at(const Json& list, size_t place) {
  const Json::List* const items = list.list();
  const Json* const item = items && place < items->size() ? &(*items)[place] : nullptr;
  std::optional<T> number;
  if constexpr (std::is_signed_v<T>)
    number = item ? item->as_int64() : std::nullopt;
  else
    number = item ? item->as_uint64() : std::nullopt;
  if (!number) throw damaged("{}: not a list of whole numbers", start_of_json(list));
  return *number;
}

PlannedFile file_of(const Json& text) {
  PlannedFile file;
  file.path = checked_path(required_text(text, "path"));
  file.size = required_count(text, "bytes");
  if (file.size > kMaxBytes) throw damaged("{}: {} bytes", file.path, file.size);
  const Json& modified = required(text, "modified");
  file.modified.tv_sec = number_at<time_t>(modified, 0);
  file.modified.tv_nsec = number_at<long>(modified, 1);
  if (file.modified.tv_nsec < 0 || file.modified.tv_nsec > 999'999'999)
    throw damaged("{}: invalid nanoseconds {}", file.path, file.modified.tv_nsec);
  if (text.find("packed")) file.packed = required_count(text, "packed");
  return file;
}

PlannedFolder packed_folder_of(const Json& text) {
  PlannedFolder folder;
  folder.path = checked_path(required_text(text, "path"));
  const uint64_t version = required_count(text, "version");
  if (version > 3) throw damaged("{}: version {}", folder.path, version);
  folder.packing.version = static_cast<int>(version);
  if (!required(text, "level").is_null()) {
    const uint64_t level = required_count(text, "level");
    if (level > kMaxPackedLevel) throw damaged("{}: level {}", folder.path, level);
    folder.packing.level = static_cast<int>(level);
  }
  folder.packing.file_bytes = required_count(text, "file_bytes");
  folder.root_size = required_count(text, "root_bytes");
  folder.root_crc = static_cast<uint32_t>(required_count(text, "root_crc32"));
  return folder;
}

// Finds the first file of each packed folder, and checks that all lie in it.
void find_roots(ExportPlan& plan) {
  std::vector<bool> is_known(plan.packed.size());
  for (size_t i = 0; i < plan.files.size(); ++i) {
    const PlannedFile& file = plan.files[i];
    if (!file.packed) continue;
    if (*file.packed >= plan.packed.size()) throw damaged("{}: no packed folder {}", file.path, *file.packed);
    PlannedFolder& folder = plan.packed[*file.packed];
    if (!file.path.starts_with(folder.path + "/"))
      throw damaged("{}: does not lie in {}", file.path, folder.path);
    if (!is_known[*file.packed]) folder.root = i;
    is_known[*file.packed] = true;
  }
  for (size_t i = 0; i < plan.packed.size(); ++i)
    if (!is_known[i]) throw damaged("{}: a packed folder without files", plan.packed[i].path);
}

// Returns the value of an option that plans of earlier builds do not have.
bool later_flag(const Json& options, const char* name) {
  return options.find(name) && required_flag(options, name);
}
std::string later_text(const Json& options, const char* name) {
  return options.find(name) ? required_text(options, name) : "";
}

void read_options(const Json& options, ExportPlan& plan) {
  plan.views = required_text(options, "views");
  plan.subdir = required_text(options, "subdir");
  plan.read.absent_chunk_is_error = required_flag(options, "missing_is_error");
  plan.read.array_header = required_flag(options, "header");
  plan.read.row_name_header = later_text(options, "rowname");
  plan.read.ragged_as_count = later_flag(options, "ragged_is_count");
  if (const Json* const in_rows = options.find("genes_in_rows"); in_rows && !in_rows->is_null())
    plan.read.genes_in_rows = required_flag(options, "genes_in_rows");
  plan.read.hdf5_plugins = required_flag(options, "hdf5_plugins");
  plan.cells = option_of(options, "cells");
  plan.genome = option_of(options, "genome");
  plan.read.follow_outside = required_flag(options, "follow_outside");
  plan.read.remote.no_sign = required_flag(options, "no_sign");
  plan.read.remote.forbidden_is_absent = later_flag(options, "forbidden_is_absent");
  plan.read.remote.endpoint = required_text(options, "endpoint");
  plan.read.remote.region = required_text(options, "region");
  plan.read.remote.header_file = later_text(options, "header_file");
  plan.read.join = join_of(options);
}

ExportPlan plan_of(const Json& text) {
  const Json* const version = text.find("plainfs_plan");
  if (!version) throw damaged("not a plan of plainfs");
  if (version->as_int64() != kPlanVersion) throw damaged("a plan of another version of plainfs");
  ExportPlan plan;
  plan.store = required_text(text, "store");
  read_options(required(text, "options"), plan);
  for_each_required(text, "sources", [&](const Json& source) {
    plan.sources.push_back({required_text(source, "name"), required_text(source, "stamp")});
  });
  for_each_required(text, "folders", [&](const Json& folder) {
    if (!folder.text()) throw damaged("{}: not a path in a store", start_of_json(folder));
    plan.folders.push_back(checked_path(*folder.text()));
  });
  for_each_required(text, "links", [&](const Json& link) {
    plan.links.push_back({checked_path(required_text(link, "path")), required_text(link, "text")});
  });
  for_each_required(text, "files", [&](const Json& file) { plan.files.push_back(file_of(file)); });
  for_each_required(text, "packed",
                    [&](const Json& folder) { plan.packed.push_back(packed_folder_of(folder)); });
  find_roots(plan);
  for_each_required(text, "tasks", [&](const Json& task) {
    if (required_count(task, "id") != plan.tasks.size() + 1)
      throw damaged("its tasks are not numbered 1, 2, 3 and so on");
    std::vector<PlannedRange>& ranges = plan.tasks.emplace_back();
    for_each_required(task, "ranges", [&](const Json& range) {
      ranges.push_back(
          {number_at<size_t>(range, 0), number_at<uint64_t>(range, 1), number_at<uint64_t>(range, 2)});
    });
  });
  check_ranges(plan);
  return plan;
}

}  // namespace

std::vector<std::string> ExportPlan::paths() const {
  std::vector<std::string> all = folders;
  for (const ExportedLink& link : links) all.push_back(link.path);
  for (const PlannedFile& file : files) all.push_back(file.path);
  return all;
}

uint64_t ExportPlan::bytes() const {
  uint64_t sum = 0;
  for (const PlannedFile& file : files) sum += file.size;
  return sum;
}

ExportPlan read_plan(const std::string& path) {
  const std::optional<std::string> text = file_content(path);
  if (!text) throw Failure(kNotFound, fmt::format("{}: {}", path, std::strerror(errno)));
  try {
    ExportPlan plan = plan_of(parse_json(*text));
    plan.id = short_digest(*text);
    return plan;
  } catch (const Error& error) {
    throw Failure(kDamaged, fmt::format("{}: {}", path, error.what()));
  }
}

void write_plan(const ExportPlan& plan, const std::string& path) {
  const Json whole = json_of(plan);
  check_utf8(whole);
  const std::string text = to_json_text(whole) + "\n";
  const std::string around = path.substr(0, path.rfind('/') + 1);
  const Descriptor folder(::open(around.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() < 0 || !replace_file(folder, std::string(last_name(path)), text))
    throw disk_failure(path);
}

}  // namespace plainfs
