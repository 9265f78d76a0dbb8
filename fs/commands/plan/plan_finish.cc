#include <algorithm>
#include <boost/filesystem.hpp>
#include <cstdio>
#include <numeric>
#include <span>

#include "formats/core/codecs/checksum.h"
#include "formats/core/text/json.h"
#include "fs/commands/plan/plan_commands.h"
#include "fs/commands/plan/plan_folder.h"
#include "fs/commands/whole_folders.h"
#include "fs/report/words.h"
#include "fs/session.h"

namespace plainfs {
namespace {

// Returns "1-3, 7" for tasks that are counted from 0.
std::string numbers_text(const std::vector<size_t>& tasks) {
  std::string text;
  for (size_t i = 0; i < tasks.size();) {
    size_t last = i;
    while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", tasks[i] + 1);
    if (last > i) text += fmt::format("-{}", tasks[last] + 1);
    i = last + 1;
  }
  return text;
}

// The summary of a plan's records.
struct Standing {
  std::vector<std::optional<TaskRecord>> records;
  std::vector<size_t> missing;      // tasks that are not done
  std::vector<std::string> errors;  // why each file cannot be generated; empty: it can
  std::vector<ExitCode> codes;
  uint64_t done_bytes = 0;
};

Standing standing_of(const ExportPlan& plan, const PlanFolder& state) {
  Standing standing;
  standing.errors.resize(plan.files.size());
  standing.codes.resize(plan.files.size(), kSuccess);
  for (size_t task = 0; task < plan.tasks.size(); ++task) {
    const auto& record = standing.records.emplace_back(state.record(task));
    if (!record && !state.is_whole(task)) {
      standing.missing.push_back(task);
      continue;
    }
    for (size_t i = 0; i < plan.tasks[task].size(); ++i) {
      const PlannedRange& range = plan.tasks[task][i];
      if (!record || (*record)[i].error.empty()) {
        standing.done_bytes += range.size;
        continue;
      }
      standing.errors[range.file] = (*record)[i].error;
      standing.codes[range.file] = (*record)[i].code;
    }
  }
  return standing;
}

class Finish {
 public:
  Finish(const ExportPlan& plan, const std::string& plan_path, const TargetFolder& folder, bool verifies)
      : plan_(plan), plan_path_(plan_path), folder_(folder), state_(folder, plan), verifies_(verifies) {}

  ExitCode run() {
    standing_ = standing_of(plan_, state_);
    check_none_is_missing();
    for (const PlannedFolder& folder : plan_.packed) check_packed_place(folder_, folder);
    for (const std::string& path : plan_.folders) make([&] { folder_.make_folder(path); });
    for (const ExportedLink& link : plan_.links) make([&] { folder_.make_link(link.path, link.text); });
    progress_.begin("finishing", Progress::Unit::files, plan_.files.size());
    tasks_of_file_.resize(plan_.files.size());
    for (size_t task = 0; task < plan_.tasks.size(); ++task)
      for (size_t i = 0; i < plan_.tasks[task].size(); ++i)
        tasks_of_file_[plan_.tasks[task][i].file].push_back({task, i});
    if (verifies_) {
      for (size_t i = 0; i < plan_.files.size(); ++i) verify(i);
      check_none_is_missing();
    }
    finish_all();
    check_none_is_missing();
    if (failures_.code() != kSuccess) return failures_.code();
    state_.remove_records();
    progress_.print_line(fmt::format("{}, {}, complete", count_text(plan_.files.size(), "file"),
                                     byte_text(static_cast<double>(plan_.bytes()))));
    return kSuccess;
  }

 private:
  struct Share {
    size_t task;
    size_t range;
  };

  void check_none_is_missing() const {
    if (standing_.missing.empty()) return;
    throw Failure(kTryAgain,
                  fmt::format("{} of {} tasks of {} are not done yet: {}", standing_.missing.size(),
                              plan_.tasks.size(), plan_path_, numbers_text(standing_.missing)));
  }

  void make(const std::function<void()>& one) {
    try {
      one();
    } catch (const NameTaken& failure) {
      failures_.add(failure);
    }
  }

  // The data on disk are not those that were written: the tasks that wrote them must run again.
  void redo(size_t file, const std::string& why, const std::vector<Share>& shares) {
    progress_.print_line(fmt::format("plainfs: {}: {}", folder_.whole(plan_.files[file].path), why));
    for (const Share& share : shares) {
      state_.remove_record(share.task);
      standing_.missing.push_back(share.task);
    }
    std::sort(standing_.missing.begin(), standing_.missing.end());
    standing_.missing.erase(std::unique(standing_.missing.begin(), standing_.missing.end()),
                            standing_.missing.end());
  }

  void verify(size_t i) {
    const PlannedFile& file = plan_.files[i];
    if (!standing_.errors[i].empty() || is_whole(i)) return;
    const PartFile part = state_.existing_part(i);
    if (!part.has_file()) return redo(i, "its part is missing", tasks_of_file_[i]);
    std::vector<char> bytes(kExportPiece);
    for (const Share& share : tasks_of_file_[i]) {
      const PlannedRange& range = plan_.tasks[share.task][share.range];
      uint32_t crc = 0;
      const uint64_t size = file.packed ? part.size() : range.size;
      for (uint64_t at = 0; at < size;) {
        const uint64_t wanted = std::min<uint64_t>(bytes.size(), size - at);
        const size_t got = part.read_at(range.first + at, bytes.data(), wanted);
        crc = crc32(std::as_bytes(std::span(bytes.data(), got)), crc);
        if (got < wanted) break;
        at += got;
      }
      const std::optional<TaskRecord>& record = standing_.records[share.task];
      if (record && (*record)[share.range].crc != crc)
        redo(i, fmt::format("bytes {} to {} differ from what was written", range.first, range.first + size),
             {share});
    }
  }

  // Returns the record of a file that one task writes whole; null: it has no record.
  const RangeRecord* record_of(size_t i) const {
    const Share& share = tasks_of_file_[i].front();
    const std::optional<TaskRecord>& record = standing_.records[share.task];
    return record ? &(*record)[share.range] : nullptr;
  }

  bool is_whole(size_t i) const {
    const PlannedFile& file = plan_.files[i];
    return file.packed ? state_.is_whole(file, record_of(i)) : state_.is_whole(file);
  }

  // The marks of whole folders come last, if the folder is complete, and after them the root of a packed
  // folder.
  void finish_all() {
    std::vector<std::string> paths, failed;
    for (size_t i = 0; i < plan_.files.size(); ++i) {
      paths.push_back(plan_.files[i].path);
      if (!standing_.errors[i].empty()) failed.push_back(paths.back());
    }
    const WholeFolders whole(paths, failed);
    // Readers open no folder while its files are replaced.
    for (const PlannedFolder& folder : plan_.packed)
      if (state_.existing_part(folder.root).has_file()) folder_.remove_file(plan_.files[folder.root].path);
    const auto turn = [&](size_t i) {
      const PlannedFile& file = plan_.files[i];
      return file.packed && plan_.packed[*file.packed].root == i ? 2 : whole.is_mark(paths[i]) ? 1 : 0;
    };
    for (const int now : {0, 1, 2}) {
      check_none_is_missing();  // a folder without one of its files gets no mark
      for (size_t i = 0; i < paths.size(); ++i) {
        if (turn(i) != now) continue;
        make([&] { now > 0 && whole.is_broken(paths[i]) ? withhold(i) : finish(i); });
        progress_.add(1);
      }
    }
    for (const std::string& folder : whole.broken())
      progress_.print_line(
          fmt::format("{}: left incomplete, because a part of it cannot be written", folder_.whole(folder)));
  }

  void withhold(size_t i) {
    PartFile part = state_.existing_part(i);
    if (part.has_file()) part.discard();
    folder_.remove_file(plan_.files[i].path);
  }

  void finish(size_t i) {
    const PlannedFile& file = plan_.files[i];
    PartFile part = state_.existing_part(i);
    if (!standing_.errors[i].empty()) {
      failures_.add(fmt::format("{}: {}", file.path, standing_.errors[i]), standing_.codes[i]);
      if (part.has_file()) part.discard();
      return;
    }
    if (!part.has_file()) {
      if (!is_whole(i)) redo(i, "its part is missing", tasks_of_file_[i]);
      return;
    }
    const RangeRecord* const record = file.packed ? record_of(i) : nullptr;
    if (file.packed && (!record || !record->size))
      return part.discard();  // of a late run: the folder is finished
    const uint64_t size = file.packed ? *record->size : file.size;
    if (part.size() != size)
      return redo(i, fmt::format("its part has {} bytes, expected {}", part.size(), size), tasks_of_file_[i]);
    try {
      part.finish(size, file.modified, folder_.name_of(file.path));
    } catch (const Failure&) {
      if (!is_whole(i)) throw;  // else another process is finishing as well
    }
  }

  const ExportPlan& plan_;
  const std::string plan_path_;
  const TargetFolder& folder_;
  const PlanFolder state_;
  const bool verifies_;
  Standing standing_;
  std::vector<std::vector<Share>> tasks_of_file_;
  Progress progress_;
  Failures failures_{progress_};
};

struct Named {
  std::string plan;
  std::string folder;
};

Named names_of(const char* command, const Arguments& arguments) {
  const Options options = parse_options(arguments, 2);
  if (options.names.size() != 2)
    throw Failure(kUsage, fmt::format("export {}: expected a plan and a directory", command));
  return {boost::filesystem::absolute(options.names[0]).string(),
          boost::filesystem::absolute(options.names[1]).string()};
}

}  // namespace

int finish_command(Arguments arguments) {
  const bool verifies = take_flag(arguments, "--verify");
  const Named named = names_of("--finish", arguments);
  const ExportPlan plan = read_plan(named.plan);
  TargetFolder folder(named.folder);
  for (const std::string& line : folder.keep_apart(plan.paths())) Progress().print_line("plainfs: " + line);
  return Finish(plan, named.plan, folder, verifies).run();
}

int status_command(Arguments arguments) {
  const Named named = names_of("--status", arguments);
  const ExportPlan plan = read_plan(named.plan);
  Json::List missing, failed;
  Standing standing;
  bool is_finished = false;
  if (boost::filesystem::is_directory(named.folder)) {
    TargetFolder folder(named.folder);
    folder.keep_apart(plan.paths());
    const PlanFolder state(folder, plan);
    standing = standing_of(plan, state);
    is_finished = std::all_of(plan.files.begin(), plan.files.end(),
                              [&](const PlannedFile& file) { return state.is_whole(file); });
  } else {
    standing.missing.resize(plan.tasks.size());
    std::iota(standing.missing.begin(), standing.missing.end(), size_t{0});
  }
  for (const size_t task : standing.missing) missing.push_back(Json::of(uint64_t{task + 1}));
  for (size_t i = 0; i < standing.errors.size(); ++i)
    if (!standing.errors[i].empty())
      failed.push_back(Json::Object{{"path", plan.files[i].path}, {"error", standing.errors[i]}});
  print_json(Json::Object{{"store", plan.store},
                          {"tasks", Json::of(uint64_t{plan.tasks.size()})},
                          {"done", Json::of(uint64_t{plan.tasks.size() - standing.missing.size()})},
                          {"missing", std::move(missing)},
                          {"bytes", Json::of(plan.bytes())},
                          {"done_bytes", Json::of(standing.done_bytes)},
                          {"failed", std::move(failed)},
                          {"finished", is_finished}});
  return kSuccess;
}

}  // namespace plainfs
