#include <unistd.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/base/used_sources.h"
#include "formats/core/model/contents/cell_table.h"
#include "formats/core/model/contents/genome.h"
#include "formats/core/text/utf8.h"
#include "fs/command_line/option_values.h"
#include "fs/command_line/store_path.h"
#include "fs/commands/plan/export_plan.h"
#include "fs/commands/plan/plan_commands.h"
#include "fs/commands/read_sources.h"
#include "fs/commands/size_saver.h"
#include "fs/session.h"

namespace plainfs {
namespace {

constexpr uint64_t kTaskBytes = uint64_t{1} << 30;
constexpr size_t kMaxTasks = 1'000'000;

// After this time, earlier writes are visible in the time stamps of any file system.
constexpr std::chrono::milliseconds kUntilAtRest{2100};

class Planner {
 public:
  Planner(Session& session, Progress& progress, Failures& failures)
      : filesystem_(session.filesystem()),
        context_(session.context()),
        progress_(progress),
        failures_(failures) {}

  // Measures everything. tasks: their number; 0: as many as task_bytes requires. Returns nullopt if the store
  // was written to meanwhile, or just before.
  std::optional<ExportPlan> make(const std::vector<std::string>& paths, const Options& options, size_t tasks,
                                 uint64_t task_bytes) {
    if (!context_.files.stamps()) return std::nullopt;
    Exported found = find_exported(filesystem_, paths, options, failures_);
    measure(filesystem_, context_.workers, found, progress_, failures_);
    ExportPlan plan;
    plan.store = filesystem_.store()->path;
    add_names(found, plan);
    const std::optional<std::vector<SourceStamp>> sources = stamps(found.files);
    if (!sources) return std::nullopt;
    plan.sources = *sources;
    if (const std::string line = left_out_text(found); !line.empty()) progress_.print_line(line);
    if (tasks == 0) tasks = count_for(plan, task_bytes);
    plan.tasks = share_out(plan.files, tasks, [&](size_t file, uint64_t offset) {
      return filesystem_.open(inodes_[file]).view->cut_before(offset);
    });
    return plan;
  }

 private:
  // A plan is JSON, which requires UTF-8.
  bool can_hold(const std::string& name) {
    if (is_utf8(name)) return true;
    failures_.add(name + ": not UTF-8; a plan cannot contain it", kUnsupported);
    return false;
  }

  void add_names(Exported& found, ExportPlan& plan) {
    for (std::string& folder : found.folders)
      if (!folder.empty() && can_hold(folder)) plan.folders.push_back(std::move(folder));
    for (ExportedLink& link : found.links)
      if (can_hold(link.path) && can_hold(link.text)) plan.links.push_back(std::move(link));
    for (const Copy& copy : found.files) {
      if (!can_hold(copy.path)) continue;
      plan.files.push_back({copy.path, copy.size, modified_time(filesystem_.status(copy.inode))});
      inodes_.push_back(copy.inode);
    }
  }

  std::optional<std::vector<SourceStamp>> stamps(const std::vector<Copy>& files) {
    const std::string& named = filesystem_.store()->path;
    std::set<std::string> stores{named};
    for (const Copy& copy : files) stores.insert(filesystem_.store_path(copy.inode));
    std::map<std::string, std::string> all;
    for (const std::string& store : stores) {
      Sources& sources = store == named ? context_.files : context_.of_store(store).files;
      const auto of_store = sources.stamps();
      if (!of_store) return std::nullopt;
      for (const SourceStamp& source : *of_store) all.emplace(source.name, source.stamp);
    }
    std::vector<SourceStamp> stamps;
    for (const auto& [name, stamp] : all) stamps.push_back({name, stamp});
    return stamps;
  }

  static size_t count_for(const ExportPlan& plan, uint64_t task_bytes) {
    const uint64_t cost = plan.bytes() + plan.files.size() * kFileCost;
    return std::clamp<uint64_t>((cost + task_bytes - 1) / task_bytes, 1, kMaxTasks);
  }

  Filesystem& filesystem_;
  Context& context_;
  Progress& progress_;
  Failures& failures_;
  std::vector<Inode> inodes_;  // of the plan's files
};

// Saves the sizes beside the plan. Without them the plan is valid, but its tasks are slower.
void keep_sizes(Filesystem& filesystem, const std::string& path, Progress& progress) {
  try {
    filesystem.save_index_in(std::make_shared<const IndexFolder>(sizes_folder(path)));
  } catch (const Error& error) {
    progress.print_line(fmt::format("plainfs: {}: {}; the tasks will compute the sizes again",
                                    sizes_folder(path), error.what()));
  }
}

}  // namespace

int plan_command(Arguments arguments) {
  const std::string count = take_value(arguments, "--tasks"), size = take_value(arguments, "--task-size");
  if (!count.empty() && !size.empty())
    throw Failure(kUsage, "export: --tasks and --task-size cannot be used together");
  const size_t tasks = count.empty() ? 0 : integer("--tasks", count, kMaxTasks);
  const uint64_t task_bytes = size.empty() ? kTaskBytes : byte_size("--task-size", size);
  if ((!count.empty() && tasks == 0) || task_bytes == 0)
    throw Failure(kUsage, "export --plan: expected at least one task");
  Options options = parse_options(arguments, kManyNames);
  split_store_path(options.names);
  if (options.names.size() < 2)
    throw Failure(kUsage, "export --plan: expected a store and a file for the plan");
  options.store = options.names[0];
  if (!options.read.remote.query.empty())
    throw Failure(kUnsupported, options.store + ": a plan does not store signed URLs; use --part I/N");
  const std::string path = boost::filesystem::absolute(options.names.back()).string();
  const std::vector<std::string> paths(options.names.begin() + 1, options.names.end() - 1);
  const Interruption interruption;  // created before there are threads
  for (bool is_again = false;; is_again = true) {
    Progress progress;
    Failures failures(progress);
    Session session(options);
    std::optional<ExportPlan> plan;
    run_saving_sizes(session.filesystem(), options.store, interruption, [&] {
      plan = Planner(session, progress, failures).make(paths, options, tasks, task_bytes);
    });
    if (!plan && is_url(options.store))
      throw Failure(kUnsupported, fmt::format("{}: cannot be planned: {}; use --part I/N", options.store,
                                              without_stamps(options.store).what()));
    if (!plan && is_again)
      throw Failure(kTryAgain, options.store + ": is being written to; plan again later");
    if (!plan) {
      std::this_thread::sleep_for(kUntilAtRest);
      continue;
    }
    plan->views = options.views;
    plan->subdir = options.subdir;
    plan->read = options.read;
    if (options.read.cells) plan->cells = {options.cells, options.read.cells->digest};
    if (options.read.genome) plan->genome = {options.genome, options.read.genome->digest};
    ReadSources sources(session);
    for (const PlannedFile& file : plan->files) sources.add(session.filesystem().find(file.path));
    sources.check(path);
    keep_sizes(session.filesystem(), path, progress);
    write_plan(*plan, path);
    progress.print_line(fmt::format("{}, {}, in {}", count_text(plan->files.size(), "file"),
                                    byte_text(static_cast<double>(plan->bytes())),
                                    count_text(plan->tasks.size(), "task")));
    std::printf("%zu\n", plan->tasks.size());
    return failures.code();
  }
}

}  // namespace plainfs
