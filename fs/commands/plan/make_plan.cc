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
#include "formats/core/codecs/checksum.h"
#include "formats/core/model/contents/cell_table.h"
#include "formats/core/model/contents/genome.h"
#include "formats/core/text/utf8.h"
#include "fs/command_line/option_values.h"
#include "fs/command_line/store_path.h"
#include "fs/commands/one_file/export_file.h"
#include "fs/commands/plan/export_plan.h"
#include "fs/commands/plan/plan_commands.h"
#include "fs/commands/read_sources.h"
#include "fs/commands/size_saver.h"
#include "fs/report/words.h"
#include "fs/session.h"
#include "fs/views/file_forms.h"

namespace plainfs {
namespace {

constexpr uint64_t kTaskBytes = uint64_t{1} << 30;
constexpr size_t kMaxTasks = 1'000'000;
// Shards of a Zarr folder are no smaller, so that a plan for many tasks has no more files than it needs.
constexpr uint64_t kLeastShard = uint64_t{16} << 20;

// After this time, earlier writes are visible in the time stamps of any file system.
constexpr std::chrono::milliseconds kUntilAtRest{2100};

// How the work is divided.
struct Division {
  size_t tasks = 0;         // 0: as many as task_bytes requires
  uint64_t task_bytes = 0;  // of one task
  FolderPacking packing;    // of the folders that are written compressed
};

// The bytes of a small file.
class DocumentSink : public PackedSink {
 public:
  void write_at(uint64_t, ByteSpan bytes) override { text_.append(as_text(bytes)); }
  void read_at(uint64_t, std::span<std::byte>) override {
    throw damaged("a document is read while it is written");
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Planner {
 public:
  Planner(Session& session, Progress& progress, Failures& failures)
      : filesystem_(session.filesystem()),
        context_(session.context()),
        progress_(progress),
        failures_(failures) {}

  // Measures everything. Returns nullopt if the store was written to meanwhile, or just before.
  std::optional<ExportPlan> make(const std::vector<std::string>& paths, const Options& options,
                                 const Division& division) {
    if (!context_.files.stamps()) return std::nullopt;
    Exported found = find_exported(filesystem_, paths, options, failures_);
    ExportPlan plan;
    plan.store = filesystem_.store()->path;
    take_packed(found, division.packing, plan);
    measure(filesystem_, context_.workers, found, progress_, failures_);
    add_names(found, plan);
    add_packed_files(division, plan);
    const std::optional<std::vector<SourceStamp>> sources = stamps(found.files);
    if (!sources) return std::nullopt;
    plan.sources = *sources;
    if (const std::string line = left_out_text(found); !line.empty()) progress_.print_line(line);
    const size_t tasks = division.tasks > 0 ? division.tasks : count_for(plan, division.task_bytes);
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

  // Moves the folders that are written compressed into the plan, without what the mount shows in them.
  void take_packed(Exported& found, const FolderPacking& packing, ExportPlan& plan) {
    for (const std::string& path : found.folders) {
      const Inode inode = filesystem_.find(path);
      const FileRow* const row = filesystem_.row(inode);
      if (!row || !row->form.is_folder() || !can_hold(path)) continue;
      try {
        PackFolder pack = filesystem_.meaning(inode).what.pack;
        if (!pack) continue;
        packs_.push_back({inode, pack});
        plan.packed.push_back({path, packing});
      } catch (const Error& error) {
        failures_.add(path, error);
      }
    }
    if (plan.packed.empty()) return;
    const auto is_inside = [&](const std::string& path) {
      return std::any_of(plan.packed.begin(), plan.packed.end(),
                         [&](const PlannedFolder& folder) { return path.starts_with(folder.path + "/"); });
    };
    std::erase_if(found.folders, is_inside);
    std::erase_if(found.links, [&](const ExportedLink& link) { return is_inside(link.path); });
    std::erase_if(found.files, [&](const Copy& copy) { return is_inside(copy.path); });
    std::erase_if(found.failed, is_inside);
  }

  // Adds the files of all folders that are written compressed. No shard is larger than the share of a task.
  void add_packed_files(const Division& division, ExportPlan& plan) {
    std::vector<std::unique_ptr<const PackedFolder>> all;
    for (size_t i = 0; i < packs_.size(); ++i) all.push_back(pack(i, plan.packed[i].packing, plan));
    uint64_t total = plan.bytes();
    for (const auto& folder : all) total += folder ? bytes_of(*folder) : 0;
    const uint64_t share = division.tasks > 0 ? total / division.tasks : division.task_bytes;
    std::vector<PlannedFolder> planned;
    for (size_t i = 0; i < all.size(); ++i) {
      const auto is_larger = [&](const PackedFile& file) {
        return file.bytes > std::max(share, kLeastShard);
      };
      if (all[i] && std::any_of(all[i]->files().begin(), all[i]->files().end(), is_larger)) {
        plan.packed[i].packing.file_bytes = std::max(share, kLeastShard);
        all[i] = pack(i, plan.packed[i].packing, plan);
      }
      if (!all[i]) continue;
      planned.push_back(plan.packed[i]);
      add_files(*all[i], packs_[i].inode, planned, plan);
    }
    plan.packed = std::move(planned);
  }

  // Returns null if the folder cannot be written.
  std::unique_ptr<const PackedFolder> pack(size_t number, const FolderPacking& packing,
                                           const ExportPlan& plan) {
    try {
      return packs_[number].pack(packing);
    } catch (const Error& error) {
      failures_.add(plan.packed[number].path, error);
      return nullptr;
    }
  }

  void add_files(const PackedFolder& packed, Inode inode, std::vector<PlannedFolder>& planned,
                 ExportPlan& plan) {
    PlannedFolder& folder = planned.back();
    folder.root = plan.files.size();
    const timespec time = modified_time(filesystem_.status(inode));
    for (const PackedFile& file : packed.files()) {
      plan.files.push_back({folder.path + "/" + file.path, file.bytes, time, planned.size() - 1});
      inodes_.push_back(inode);
    }
    DocumentSink root;
    folder.root_size = packed.write(0, root, [](uint64_t) {});
    folder.root_crc = crc32(as_byte_span(root.text()));
  }

  static uint64_t bytes_of(const PackedFolder& folder) {
    uint64_t sum = 0;
    for (const PackedFile& file : folder.files()) sum += file.bytes;
    return sum;
  }

  std::optional<std::vector<SourceStamp>> stamps(const std::vector<Copy>& files) {
    const std::string& named = filesystem_.store()->path;
    std::set<std::string> stores{named};
    for (const Copy& copy : files) stores.insert(filesystem_.store_path(copy.inode));
    for (const Packing& folder : packs_) stores.insert(filesystem_.store_path(folder.inode));
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
  std::vector<Inode> inodes_;  // of the plan's files, or of the packed folders that have them
  struct Packing {
    Inode inode;
    PackFolder pack;
  };
  std::vector<Packing> packs_;  // of ExportPlan::packed
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

// Throws Failure if a path is an archive of a folder, which one process writes from its beginning to its end.
void refuse_archives(Filesystem& filesystem, const std::vector<std::string>& paths) {
  constexpr std::string_view kArchive = forms::kAnnDataZarrZip.ending, kFolder = forms::kAnnDataZarr.ending;
  for (const std::string& path : paths) {
    if (!path.ends_with(kArchive)) continue;
    const std::string folder = path.substr(0, path.size() - kArchive.size()) + std::string(kFolder);
    try {
      filesystem.resolve(folder);
    } catch (const Error&) {
      continue;
    }
    throw Failure(
        kUnsupported,
        fmt::format("{}: tasks cannot share one archive; plan {}, or export the archive without a plan", path,
                    folder));
  }
}

void keep_options(const Options& options, ExportPlan& plan) {
  plan.views = options.views;
  plan.subdir = options.subdir;
  plan.read = options.read;
  if (options.read.cells) plan.cells = {options.cells, options.read.cells->digest};
  if (options.read.genome) plan.genome = {options.genome, options.read.genome->digest};
}

}  // namespace

int plan_command(Arguments arguments) {
  const FolderPacking packing{take_zarr_version(arguments), take_level(arguments)};
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
    refuse_archives(session.filesystem(), paths);
    run_saving_sizes(session.filesystem(), options.store, interruption, [&] {
      plan = Planner(session, progress, failures).make(paths, options, {tasks, task_bytes, packing});
    });
    const Error why = without_stamps(store_locations(options));
    if (!plan && is_unsupported(why))
      throw Failure(kUnsupported,
                    fmt::format("{}: cannot be planned: {}; use --part I/N", options.store, why.what()));
    if (!plan && is_again && reads_url(options))
      throw Failure(kTryAgain, fmt::format("{}: cannot be planned: {}", options.store, why.what()));
    if (!plan && is_again)
      throw Failure(kTryAgain, options.store + ": is being written to; plan again later");
    if (!plan) {
      std::this_thread::sleep_for(kUntilAtRest);
      continue;
    }
    keep_options(options, *plan);
    if (plan->packed.empty() && (packing.version != 0 || packing.level))
      throw Failure(kUsage,
                    fmt::format("export --plan: --zarr-format and --level are for Zarr folders, and none is "
                                "in the plan; name one after the store ({})",
                                forms::kAnnDataZarr.ending));
    ReadSources sources(session);
    for (const PlannedFile& file : plan->files)
      sources.add(session.filesystem().find(file.packed ? plan->packed[*file.packed].path : file.path));
    sources.check(path);
    keep_sizes(session.filesystem(), path, progress);
    write_plan(*plan, path);
    progress.print_line(fmt::format("{}, {}, in {}", count_text(plan->files.size(), "file"),
                                    byte_text(static_cast<double>(plan->bytes())),
                                    count_text(plan->tasks.size(), "task")));
    print_notices(session, options.store);
    std::printf("%zu\n", plan->tasks.size());
    return failures.code();
  }
}

}  // namespace plainfs
