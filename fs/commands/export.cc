#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <boost/filesystem.hpp>
#include <cstdio>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <unordered_map>

#include "cache/request.h"
#include "formats/core/text/printable.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/store_path.h"
#include "fs/commands/commands.h"
#include "fs/commands/copy_file.h"
#include "fs/commands/deflated.h"
#include "fs/commands/exported.h"
#include "fs/commands/interruption.h"
#include "fs/commands/one_file/export_file.h"
#include "fs/commands/plan/plan_commands.h"
#include "fs/commands/read_sources.h"
#include "fs/commands/share.h"
#include "fs/report/progress.h"
#include "fs/report/walk.h"
#include "fs/report/words.h"
#include "fs/session.h"

namespace plainfs {
namespace {

class Export {
 public:
  // sources: knows the store; they must outlive this.
  Export(Session& session, ReadSources& sources, const std::string& folder)
      : filesystem_(session.filesystem()),
        workers_(session.context().workers),
        sources_(sources),
        folder_(folder) {}

  // Creates the directories and links, and copies the files of this part.
  ExitCode run(const std::vector<std::string>& paths, const Options& options, Share part) {
    Exported found = find_exported(filesystem_, paths, options, failures_);
    for (const std::string& line : folder_.keep_apart(found.paths()))
      progress_.print_line("plainfs: " + line);
    for (const Copy& file : found.files) sources_.add(file.inode);
    sources_.check_folder(folder_.path());
    for (const std::string& path : found.folders)
      if (folder_.existing_folder(path).number() >= 0) sources_.check_folder(folder_.whole(path));
    for (const std::string& path : found.folders) make([&] { folder_.make_folder(path); });
    for (const ExportedLink& link : found.links) make([&] { folder_.make_link(link.path, link.text); });
    measure(filesystem_, workers_, found, progress_, failures_);
    files_ = std::move(found.files);
    whole_.emplace(paths_of(files_));
    take(part);
    uint64_t total = 0;
    for (const Copy& copy : files_) total += copy.size;
    progress_.print_line(fmt::format("{}, {}{}: into {}", count_text(files_.size(), "file"),
                                     byte_text(static_cast<double>(total)), beside_store(total),
                                     folder_.path()));
    if (const std::string line = left_out_text(found); !line.empty()) progress_.print_line(line);
    progress_.begin("writing", Progress::Unit::bytes, total);
    copy_all();
    progress_.finish(
        fmt::format("{} written, {} already there", count_text(written_.load(), "file"), skipped_.load()));
    return failures_.code();
  }

 private:
  static std::vector<std::string> paths_of(const std::vector<Copy>& files) {
    std::vector<std::string> paths;
    for (const Copy& file : files) paths.push_back(file.path);
    return paths;
  }

  // Indexes by position come after their texts, since they refer to the members of the text as written.
  // Marks, which let readers open a folder, come last.
  void copy_all() {
    const auto is_mark = [&](const Copy& file) { return whole_->is_mark(file.path); };
    const auto is_index = [](const Copy& file) { return !indexed_text(file.path).empty(); };
    const auto marks = std::stable_partition(files_.begin(), files_.end(), std::not_fn(is_mark));
    const auto indexes = std::stable_partition(files_.begin(), marks, std::not_fn(is_index));
    for (auto mark = marks; mark != files_.end(); ++mark) make([&] { remove_other(*mark); });
    copy_these({files_.begin(), indexes});
    copy_these({indexes, marks});
    const auto is_in_whole = [&](const Copy& mark) { return !whole_->is_broken(mark.path); };
    copy_these({marks, std::stable_partition(marks, files_.end(), is_in_whole)});
    for (const std::string& folder : whole_->broken())
      progress_.print_line(
          fmt::format("{}: left incomplete, because a part of it cannot be written", folder_.whole(folder)));
  }

  void copy_these(std::span<const Copy> files) {
    workers_.parallel_for(files.size(), [&](size_t i) {
      if (!copy(files[i])) return;
      ++written_;
    });
  }

  // Removes a mark that an earlier export of other content has left.
  void remove_other(const Copy& mark) {
    try {
      if (!is_copied(filesystem_, folder_, mark)) folder_.remove_file(mark.path);
    } catch (const Error& error) {
      failures_.add(mark.path, error);
      whole_->add_failure(mark.path);
    }
  }

  // Returns ", 12 times the store" for a store that is a file: several views that show the same values are
  // expensive for a large store.
  std::string beside_store(uint64_t total) const {
    struct stat store {};
    if (::stat(filesystem_.store()->path.c_str(), &store) != 0 || !S_ISREG(store.st_mode)) return {};
    const auto times = total / std::max<uint64_t>(1, static_cast<uint64_t>(store.st_size));
    return times < 2 ? std::string()
                     : fmt::format(", {} times the store (--views chooses among them)", times);
  }

  void make(const std::function<void()>& one) {
    try {
      one();
    } catch (const NameTaken& failure) {
      failures_.add(failure);
    }
  }

  // Assigns the largest files first, each to the part with the fewest bytes so far. Every job comes to the
  // same result. Sorts the files of this job by path, so that each store in a folder of many is opened once.
  void take(Share part) {
    std::sort(files_.begin(), files_.end(), [](const Copy& a, const Copy& b) {
      return std::tie(b.size, a.path) < std::tie(a.size, b.path);
    });
    std::vector<uint64_t> bytes(part.count, 0);
    std::vector<Copy> own;
    std::unordered_map<std::string, size_t> part_of;  // compressed texts with their indexes
    for (Copy& copy : files_) {
      const auto least = static_cast<size_t>(std::min_element(bytes.begin(), bytes.end()) - bytes.begin());
      const std::string text(indexed_text(copy.path));
      const bool is_text = copy.path.ends_with(".gz");
      // One job writes all of a whole folder.
      const std::optional<std::string> folder = whole_->folder_of(copy.path);
      const std::string together = folder ? *folder + "/" : is_text ? copy.path : text;
      const size_t its = together.empty() ? least : part_of.emplace(together, least).first->second;
      bytes[its] += copy.size + 1;  // empty files are shared too
      if (its + 1 == part.number) own.push_back(std::move(copy));
    }
    files_ = std::move(own);
    std::sort(files_.begin(), files_.end(), [](const Copy& a, const Copy& b) { return a.path < b.path; });
  }

  // Returns whether the file was written now.
  bool copy(const Copy& copy) {
    const std::optional<bool> written = try_to_copy(copy);
    if (!written) whole_->add_failure(copy.path);
    return written.value_or(false);
  }

  // Returns nullopt if the file cannot be copied.
  std::optional<bool> try_to_copy(const Copy& copy) {
    try {
      const bool is_smaller = can_be_deflated(filesystem_, copy);
      if (is_smaller ? is_deflated(filesystem_, folder_, copy) : is_copied(filesystem_, folder_, copy)) {
        ++skipped_;
        progress_.skip(copy.size);
        return false;
      }
      sources_.check_file(folder_.whole(copy.path));
      const auto write = is_smaller ? copy_deflated : copy_file;
      write(filesystem_, workers_, folder_, copy, [&](uint64_t bytes) { progress_.add(bytes); });
      return true;
    } catch (const Error& error) {
      failures_.add(filesystem_.path(copy.inode), error);
      return std::nullopt;
    } catch (const std::bad_alloc&) {
      failures_.add(filesystem_.path(copy.inode), out_of_memory());
      return std::nullopt;
    } catch (const NameTaken& failure) {
      failures_.add(failure);
      return std::nullopt;
    }
  }

  Filesystem& filesystem_;
  Workers& workers_;
  ReadSources& sources_;
  TargetFolder folder_;
  std::vector<Copy> files_;
  std::optional<WholeFolders> whole_;
  std::atomic<size_t> written_{0}, skipped_{0};
  Progress progress_;
  Failures failures_{progress_};
};

// The arguments of an export: a store, paths in it, and the target.
struct ExportNames {
  std::string store;
  std::vector<std::string> paths;
  std::string target;
};

ExportNames export_names(Options& options) {
  split_store_path(options.names);
  if (options.names.size() < 2)
    throw Failure(kUsage,
                  "export: expected a store and a file or directory: plainfs export STORE [PATH...] TARGET");
  options.store = options.names[0];
  return {options.store, {options.names.begin() + 1, options.names.end() - 1}, options.names.back()};
}

int export_to_folder(Session& session, const ExportNames& names, const Options& options, Share part) {
  for (const std::string& path : names.paths) resolve_given(session.filesystem(), names.store, path);
  ReadSources sources(session);
  sources.check_folder(names.target);
  Export work(session, sources, boost::filesystem::absolute(names.target).string());
  return work.run(names.paths, options, part);
}

}  // namespace

int export_command(Arguments arguments) {
  if (const PlanCommand command = take_plan_command(arguments)) return command(std::move(arguments));
  const std::string part_text = take_value(arguments, "--part");
  const Share part = part_text.empty() ? Share() : parse_part(part_text);
  const FileOptions file_options = take_file_options(arguments);
  const bool is_quiet = file_options.is_quiet;
  Options options = parse_options(arguments, kManyNames);
  options.read.x_layer = file_options.layer;
  options.read.without = file_options.without;
  if (!file_options.layer.empty() || !file_options.without.empty()) options.index.clear();
  const ExportNames names = export_names(options);
  check_target(names.target, names.store, file_options);
  // Created before there are threads. An export to a folder may end at once, since the next one resumes it.
  Interruption interruption;
  try {
    const Request::Scope scope(&interruption);
    Session session(options, {}, is_quiet ? std::function<void(uint64_t, uint64_t)>() : shown_pass());
    if (part_text.empty() && is_for_one_file(session.filesystem(), names.store, names.paths, names.target,
                                             !options.views.empty(), file_options)) {
      const int code =
          export_file(session, names.paths.empty() ? "" : names.paths[0], names.target, file_options);
      if (!is_quiet) print_notices(session, names.store);
      return code;
    }
    interruption.let_through();
    const int code = export_to_folder(session, names, options, part);
    if (!is_quiet) print_notices(session, names.store);
    return code;
  } catch (const Cancelled&) {
    std::fprintf(stderr, "plainfs: %s: stopped by a signal; nothing was written\n",
                 printable(names.target).c_str());
    return kNotWritten;
  }
}

}  // namespace plainfs
