#include "fs/commands/plan/export_plan.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "formats/core/base/descriptor.h"
#include "formats/core/text/path_names.h"
#include "fs/command_line/exit_code.h"
#include "fs/commands/part_file.h"
#include "fs/commands/plan/replace_file.h"

namespace plainfs {
namespace {

using nlohmann::json;

constexpr int kPlanVersion = 2;
constexpr uint64_t kMaxBytes = uint64_t{1} << 62;

[[noreturn]] void refuse(const std::string& why) {
  throw damaged("{}", why);
}

// Rejects paths outside of the target directory, whatever a plan contains.
const std::string& checked_path(const std::string& path) {
  for (size_t first = 0; first <= path.size();) {
    const size_t end = std::min(path.find('/', first), path.size());
    const std::string name = path.substr(first, end - first);
    if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string::npos ||
        (first == 0 && name == ".plainfs"))
      refuse(fmt::format("{}: not a path in a store", path));
    first = end + 1;
  }
  return path;
}

// Checks that the ranges cover each byte of every file once.
void check_ranges(const ExportPlan& plan) {
  std::vector<std::vector<PlannedRange>> of_file(plan.files.size());
  for (const auto& task : plan.tasks) {
    for (const PlannedRange& range : task) {
      if (range.file >= plan.files.size()) refuse(fmt::format("no file {}", range.file));
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
      refuse(fmt::format("{}: its ranges do not cover each of its bytes once", plan.files[i].path));
  }
}

json json_of(const PlannedOption& option) {
  return {{"file", option.path}, {"digest", option.digest}};
}

PlannedOption option_of(const json& options, const char* name) {
  if (!options.contains(name)) return {};
  const json& option = options.at(name);
  return {option.at("file").get<std::string>(), option.at("digest").get<std::string>()};
}

json json_of(const JoinOptions& join) {
  json stores = json::array();
  for (const JoinOptions::Member& store : join.stores)
    stores.push_back({{"store", store.location}, {"label", store.label}});
  return {{"outer", join.is_outer}, {"column", join.column}, {"stores", stores}};
}

std::shared_ptr<const JoinOptions> join_of(const json& options) {
  if (!options.contains("join")) return nullptr;
  const json& text = options.at("join");
  JoinOptions join;
  join.is_outer = text.at("outer").get<bool>();
  join.column = text.at("column").get<std::string>();
  for (const json& store : text.at("stores"))
    join.stores.push_back({store.at("store").get<std::string>(), store.at("label").get<std::string>()});
  if (join.stores.empty()) refuse("a plan of joined stores without a store");
  return std::make_shared<const JoinOptions>(std::move(join));
}

json json_of(const ExportPlan& plan) {
  json sources = json::array(), links = json::array(), files = json::array(), tasks = json::array();
  for (const SourceStamp& source : plan.sources)
    sources.push_back({{"name", source.name}, {"stamp", source.stamp}});
  for (const ExportedLink& link : plan.links) links.push_back({{"path", link.path}, {"text", link.text}});
  for (const PlannedFile& file : plan.files)
    files.push_back({{"path", file.path},
                     {"bytes", file.size},
                     {"modified", {int64_t{file.modified.tv_sec}, int64_t{file.modified.tv_nsec}}}});
  for (size_t i = 0; i < plan.tasks.size(); ++i) {
    json ranges = json::array();
    for (const PlannedRange& range : plan.tasks[i]) ranges.push_back({range.file, range.first, range.size});
    tasks.push_back({{"id", i + 1}, {"ranges", ranges}});
  }
  json text{{"plainfs_plan", kPlanVersion},
            {"store", plan.store},
            {"options",
             {{"views", plan.views},
              {"subdir", plan.subdir},
              {"missing_is_error", plan.read.absent_chunk_is_error},
              {"header", plan.read.array_header},
              {"rowname", plan.read.row_name_header},
              {"ragged_is_count", plan.read.ragged_as_count},
              {"genes_in_rows", plan.read.genes_in_rows ? json(*plan.read.genes_in_rows) : json()},
              {"hdf5_plugins", plan.read.hdf5_plugins},
              {"cells", json_of(plan.cells)},
              {"genome", json_of(plan.genome)},
              {"follow_outside", plan.read.follow_outside},
              {"no_sign", plan.read.remote.no_sign},
              {"forbidden_is_absent", plan.read.remote.forbidden_is_absent},
              {"endpoint", plan.read.remote.endpoint},
              {"header_file", plan.read.remote.header_file},
              {"region", plan.read.remote.region}}},
            {"sources", sources},
            {"folders", plan.folders},
            {"links", links},
            {"files", files},
            {"tasks", tasks}};
  if (plan.read.join) text["options"]["join"] = json_of(*plan.read.join);
  return text;
}

PlannedFile file_of(const json& text) {
  PlannedFile file;
  file.path = checked_path(text.at("path").get<std::string>());
  file.size = text.at("bytes").get<uint64_t>();
  if (file.size > kMaxBytes) refuse(fmt::format("{}: {} bytes", file.path, file.size));
  file.modified.tv_sec = static_cast<time_t>(text.at("modified").at(0).get<int64_t>());
  file.modified.tv_nsec = static_cast<long>(text.at("modified").at(1).get<int64_t>());
  if (file.modified.tv_nsec < 0 || file.modified.tv_nsec > 999'999'999)
    refuse(fmt::format("{}: invalid nanoseconds {}", file.path, file.modified.tv_nsec));
  return file;
}

ExportPlan plan_of(const json& text) {
  if (!text.is_object() || !text.contains("plainfs_plan")) refuse("not a plan of plainfs");
  if (text.at("plainfs_plan") != kPlanVersion) refuse("a plan of another version of plainfs");
  ExportPlan plan;
  plan.store = text.at("store").get<std::string>();
  const json& options = text.at("options");
  plan.views = options.at("views").get<std::string>();
  plan.subdir = options.at("subdir").get<std::string>();
  plan.read.absent_chunk_is_error = options.at("missing_is_error").get<bool>();
  plan.read.array_header = options.at("header").get<bool>();
  plan.read.row_name_header = options.value("rowname", "");
  plan.read.ragged_as_count = options.value("ragged_is_count", false);
  if (const json in_rows = options.value("genes_in_rows", json()); !in_rows.is_null())
    plan.read.genes_in_rows = in_rows.get<bool>();
  plan.read.hdf5_plugins = options.at("hdf5_plugins").get<bool>();
  plan.cells = option_of(options, "cells");
  plan.genome = option_of(options, "genome");
  plan.read.follow_outside = options.at("follow_outside").get<bool>();
  plan.read.remote.no_sign = options.at("no_sign").get<bool>();
  plan.read.remote.forbidden_is_absent = options.value("forbidden_is_absent", false);
  plan.read.remote.endpoint = options.at("endpoint").get<std::string>();
  plan.read.remote.region = options.at("region").get<std::string>();
  plan.read.remote.header_file = options.value("header_file", "");
  plan.read.join = join_of(options);
  for (const json& source : text.at("sources"))
    plan.sources.push_back({source.at("name").get<std::string>(), source.at("stamp").get<std::string>()});
  for (const json& folder : text.at("folders"))
    plan.folders.push_back(checked_path(folder.get<std::string>()));
  for (const json& link : text.at("links"))
    plan.links.push_back(
        {checked_path(link.at("path").get<std::string>()), link.at("text").get<std::string>()});
  for (const json& file : text.at("files")) plan.files.push_back(file_of(file));
  for (const json& task : text.at("tasks")) {
    if (task.at("id") != plan.tasks.size() + 1) refuse("its tasks are not numbered 1, 2, 3 and so on");
    std::vector<PlannedRange>& ranges = plan.tasks.emplace_back();
    for (const json& range : task.at("ranges"))
      ranges.push_back({range.at(0).get<size_t>(), range.at(1).get<uint64_t>(), range.at(2).get<uint64_t>()});
  }
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
    ExportPlan plan = plan_of(json::parse(*text));
    plan.id = short_digest(*text);
    return plan;
  } catch (const json::exception& error) {
    throw Failure(kDamaged, fmt::format("{}: not a plan of plainfs: {}", path, error.what()));
  } catch (const Error& error) {
    throw Failure(kDamaged, fmt::format("{}: {}", path, error.what()));
  }
}

void write_plan(const ExportPlan& plan, const std::string& path) {
  const std::string text = json_of(plan).dump() + "\n";
  const std::string around = path.substr(0, path.rfind('/') + 1);
  const Descriptor folder(::open(around.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() < 0 || !replace_file(folder, std::string(last_name(path)), text))
    throw Failure(kNotWritten, fmt::format("{}: {}", path, std::strerror(errno)));
}

}  // namespace plainfs
