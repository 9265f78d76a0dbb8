#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/filesystem.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "formats/core/base/modified_time.h"
#include "formats/core/base/used_sources.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/text/parsed_number.h"
#include "fs/command_line/cells_file.h"
#include "fs/command_line/genome_file.h"
#include "fs/command_line/option_values.h"
#include "fs/commands/plan/plan_commands.h"
#include "fs/commands/plan/plan_folder.h"
#include "fs/commands/read_sources.h"
#include "fs/session.h"

namespace plainfs {
namespace {

// The environment variables in which batch systems pass the task number, job arrays first. first: the number
// of the first task.
struct Engine {
  const char* variable;
  size_t first;
};
constexpr Engine kEngines[] = {
    {"SLURM_ARRAY_TASK_ID", 1},  // Slurm
    {"PBS_ARRAY_INDEX", 1},      // PBS Pro
    {"PBS_ARRAYID", 1},          // Torque
    {"SGE_TASK_ID", 1},          // Grid Engine; "undefined" outside of an array
    {"LSB_JOBINDEX", 1},         // LSF; 0 outside of an array
    {"AWS_BATCH_JOB_ARRAY_INDEX", 0},
    {"JOB_COMPLETION_INDEX", 0},  // Kubernetes
    {"PMI_RANK", 0},              // MPICH, Intel MPI
    {"OMPI_COMM_WORLD_RANK", 0},  // Open MPI
};

constexpr size_t kFewRanges = 64;  // ranges that are flushed one by one

// Returns 1 for the first task; nullopt if no variable is set.
std::optional<size_t> task_of_environment() {
  for (const Engine& engine : kEngines) {
    const char* const value = std::getenv(engine.variable);
    const std::optional<size_t> number = value ? parsed_number<size_t>(value) : std::nullopt;
    if (!number || (engine.variable == std::string_view("LSB_JOBINDEX") && *number == 0)) continue;
    return *number + 1 - engine.first;
  }
  return std::nullopt;
}

// Thrown to stop writing a file that another run of this task has written.
struct Overtaken {};

// The part of a file of a packed folder.
class PackedPart : public PackedSink {
 public:
  // has_ended: returns whether the file need not be written any more.
  PackedPart(PartFile& part, std::function<bool()> has_ended)
      : part_(part), has_ended_(std::move(has_ended)) {}

  void write_at(uint64_t offset, ByteSpan bytes) override {
    if (has_ended_()) throw Overtaken();
    part_.write_at(offset, bytes);
    crc_ = crc32(bytes, crc_);
  }
  void read_at(uint64_t offset, std::span<std::byte> bytes) override {
    const size_t got = part_.read_at(offset, reinterpret_cast<char*>(bytes.data()), bytes.size());
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(got), bytes.end(), std::byte{0});
  }
  // Returns the CRC-32 of everything written.
  uint32_t crc() const { return crc_; }

 private:
  PartFile& part_;
  const std::function<bool()> has_ended_;
  uint32_t crc_ = 0;
};

// A packed folder of a plan as this task finds it.
struct FoundFolder {
  std::unique_ptr<const PackedFolder> packed;
  std::unordered_map<std::string, size_t> numbers{};  // of its files, by their paths in it
  std::optional<Error> error{};                       // the reason that it is missing
};

class Task {
 public:
  Task(Session& session, const ExportPlan& plan, const TargetFolder& folder, size_t number)
      : filesystem_(session.filesystem()),
        context_(session.context()),
        plan_(plan),
        folder_(folder),
        state_(folder, plan),
        number_(number),
        ranges_(plan.tasks[number]) {}

  ExitCode run() {
    if (is_done() || state_.is_whole(number_)) return already_done();
    state_.remove_record(number_);  // one that is unreadable or damaged
    check_sources();
    uint64_t total = 0;
    for (const PlannedRange& range : ranges_) total += range.size;
    progress_.begin("writing", Progress::Unit::bytes, total);
    TaskRecord record(ranges_.size());
    find_packed();
    context_.workers.parallel_for(ranges_.size(), [&](size_t i) { write(ranges_[i], record[i]); });
    if (is_overtaken_ && (is_done() || state_.is_whole(number_))) return already_done();
    if (is_overtaken_)
      throw Failure(kTryAgain, fmt::format("task {}: another run of it has not finished", number_ + 1));
    if (!may_record_) return failures_.code();
    if (state_.is_whole(number_)) return already_done();
    check_sources();
    flush();
    keep(record);
    progress_.finish(fmt::format("task {} of {} written", number_ + 1, plan_.tasks.size()));
    return failures_.code();
  }

 private:
  bool is_done() const {
    const std::optional<TaskRecord> record = state_.record(number_);
    return record && std::all_of(record->begin(), record->end(),
                                 [](const RangeRecord& range) { return range.error.empty(); });
  }

  ExitCode already_done() {
    progress_.print_line(fmt::format("task {} of {} is already done", number_ + 1, plan_.tasks.size()));
    return kSuccess;
  }

  // Checks everything that the store was read from when it was planned, including data that this task does
  // not need: the sizes of its files may depend on them.
  void check_sources() {
    context_.files.will_stamp(plan_.sources);
    for (const SourceStamp& source : plan_.sources) {
      const std::optional<std::string> now = context_.files.stamp(source.name);
      if (!now) throw Failure(kTryAgain, fmt::format("{}: {} cannot be checked", plan_.store, source.name));
      if (!is_same_source(source, *now))
        throw Failure(kNotReadable, fmt::format("{}: has changed since it was planned ({}); plan it again",
                                                plan_.store, source.name));
    }
  }

  void write(const PlannedRange& range, RangeRecord& record) {
    const PlannedFile& file = plan_.files[range.file];
    try {
      write_range(file, range, record);
    } catch (const Error& error) {
      failures_.add(file.path, error);
      record.code = exit_code_of(error.code());
      record.error = reason(error);
      if (is_transient(error) || error.code() == Errc::not_found) may_record_ = false;
      if (error.code() == Errc::unreadable) failures_.try_again();
    } catch (const NameTaken& failure) {
      failures_.add(failure);
      may_record_ = false;
    }
  }

  // Finds the packed folders of which this task has files, and keeps the errors.
  void find_packed() {
    packed_.resize(plan_.packed.size());
    for (const PlannedRange& range : ranges_) {
      const std::optional<size_t> number = plan_.files[range.file].packed;
      if (!number || packed_[*number].packed || packed_[*number].error) continue;
      FoundFolder& found = packed_[*number];
      const PlannedFolder& folder = plan_.packed[*number];
      try {
        const OpenMeaning meaning = filesystem_.meaning(filesystem_.find(folder.path));
        if (!meaning.what.pack) throw Error(Errc::changed, "is no folder that is written compressed");
        found.packed = meaning.what.pack(folder.packing);
        for (size_t i = 0; i < found.packed->files().size(); ++i)
          found.numbers.emplace(folder.path + "/" + found.packed->files()[i].path, i);
      } catch (const Error& error) {
        found.error = error;
      }
    }
  }

  void write_packed(const PlannedFile& file, const PlannedRange& range, RangeRecord& record) {
    const FoundFolder& folder = packed_[*file.packed];
    if (folder.error) throw *folder.error;
    const auto known = folder.numbers.find(file.path);
    if (known == folder.numbers.end() || folder.packed->files()[known->second].bytes != file.size)
      throw Error(Errc::changed, "is another file than was planned");
    PartFile part = state_.part(range.file);
    if (part.is_new() && !begin_part(file, range)) return part.discard();
    PackedPart sink(part, [&] {
      if (state_.has_record(number_)) is_overtaken_ = true;
      return is_overtaken_.load();
    });
    uint64_t size = 0;
    try {
      size = folder.packed->write(known->second, sink, [&](uint64_t bytes) { progress_.add(bytes); });
    } catch (const Overtaken&) {
      return;
    }
    part.reserve(size);  // a part that was left may be longer
    finish_part(file, part);
    record.size = size;
    record.crc = sink.crc();
  }

  void finish_part(const PlannedFile& file, PartFile& part) {
    if (ranges_.size() <= kFewRanges) part.flush();
    part.set_time(file.modified);  // another run of this task may have given the file its name already
  }

  void write_range(const PlannedFile& file, const PlannedRange& range, RangeRecord& record) {
    if (file.packed) return write_packed(file, range, record);
    const Inode inode = filesystem_.find(file.path);
    const auto size = static_cast<uint64_t>(filesystem_.status(inode).st_size);
    if (size != file.size)
      throw Error(Errc::changed, fmt::format("has {} bytes, expected {} as planned", size, file.size));
    const OpenFile open = filesystem_.open(inode);
    PartFile part = state_.part(range.file);
    if (part.is_new() && !begin_part(file, range)) return part.discard();
    part.reserve(file.size);
    uint32_t crc = 0;
    make_pieces(filesystem_, context_.workers, open, range.first, range.first + range.size,
                [&](uint64_t offset, const Slices& piece) {
                  if (state_.has_record(number_)) is_overtaken_ = true;
                  if (is_overtaken_) return false;
                  part.write_at(offset, piece);
                  for (const iovec& bytes : piece.parts)
                    crc = crc32({static_cast<const std::byte*>(bytes.iov_base), bytes.iov_len}, crc);
                  progress_.add(piece.size());
                  return true;
                });
    finish_part(file, part);
    record.crc = crc;
  }

  // Returns whether to write to the part, which this task has just created.
  bool begin_part(const PlannedFile& file, const PlannedRange& range) {
    if (state_.has_record(number_)) is_overtaken_ = true;
    if (is_overtaken_ || state_.is_whole(file)) return false;  // the file has its name already
    // Other tasks have recorded ranges in a part that is gone.
    for (size_t task = 0; range.size < file.size && task < plan_.tasks.size(); ++task) {
      const std::vector<PlannedRange>& ranges = plan_.tasks[task];
      const bool has_file = std::any_of(ranges.begin(), ranges.end(),
                                        [&](const PlannedRange& other) { return other.file == range.file; });
      if (has_file && task != number_) state_.remove_record(task);
    }
    return true;
  }

  // Keeps the record, which is in the way if another run of this task has finished the export meanwhile.
  void keep(const TaskRecord& record) const {
    try {
      state_.keep_record(number_, record);
    } catch (const Failure&) {
      if (!state_.is_whole(number_)) throw;
    }
    if (!state_.is_whole(number_)) return;
    state_.remove_record(number_);
    state_.remove_folders();
  }

  // A record promises that the data survive a crash. Very many small files are flushed together.
  void flush() const {
    if (ranges_.size() <= kFewRanges) return;
#ifdef __linux__
    const Descriptor folder = folder_.make_folder("");
    if (::syncfs(folder.number()) != 0) throw disk_failure(folder_.path());
#else
    static_cast<void>(folder_);
    ::sync();
#endif
  }

  Filesystem& filesystem_;
  Context& context_;
  const ExportPlan& plan_;
  const TargetFolder& folder_;
  const PlanFolder state_;
  const size_t number_;  // from 0
  const std::vector<PlannedRange>& ranges_;
  std::vector<FoundFolder> packed_;  // of ExportPlan::packed
  Progress progress_;
  Failures failures_{progress_};
  std::atomic<bool> may_record_{true};     // no failure that may pass
  std::atomic<bool> is_overtaken_{false};  // another run of this task has ended meanwhile
};

// Reads the file of an option. Throws if its content has changed since the export was planned.
template <class Value>
std::shared_ptr<const Value> planned_file(const char* name, const PlannedOption& planned,
                                          std::shared_ptr<const Value> (*read)(const std::string& path)) {
  if (planned.path.empty()) return nullptr;
  std::shared_ptr<const Value> value = read(planned.path);
  if (value->digest != planned.digest)
    throw Failure(
        kNotReadable,
        fmt::format("-o {}={}: has changed since the export was planned; plan it again", name, planned.path));
  return value;
}

// Throws Failure(kNotWritten) if a file of this task would replace what the store is read from, or lie in it.
void check_places(Session& session, const ExportPlan& plan, const TargetFolder& folder,
                  const std::vector<PlannedRange>& ranges) {
  ReadSources sources(session);
  for (const PlannedRange& range : ranges) {
    try {
      const PlannedFile& file = plan.files[range.file];
      sources.add(session.filesystem().find(file.packed ? plan.packed[*file.packed].path : file.path));
    } catch (const Error&) {
      // writing the file reports the error
    }
  }
  sources.check_folder(folder.path());
  for (const PlannedRange& range : ranges)
    if (const auto packed = plan.files[range.file].packed) check_packed_place(folder, plan.packed[*packed]);
  for (const PlannedRange& range : ranges) sources.check_file(folder.whole(plan.files[range.file].path));
}

}  // namespace

int task_command(Arguments arguments) {
  Options options = parse_options(arguments, 3);
  std::vector<std::string>& names = options.names;
  std::optional<size_t> number;
  if (names.size() == 3) {
    number = parsed_number<size_t>(names[0]);
    if (!number) throw Failure(kUsage, fmt::format("export --task {}: not a number", names[0]));
    names.erase(names.begin());
  } else {
    number = task_of_environment();
  }
  if (names.size() != 2)
    throw Failure(kUsage, "export --task: expected a plan and a directory: --task [I] PLAN DIR");
  if (!number) throw Failure(kUsage, "export --task: no task number; give one, or run it in a job array");
  const std::string path = boost::filesystem::absolute(names[0]).string();
  const ExportPlan plan = read_plan(path);
  if (*number == 0 || *number > plan.tasks.size())
    throw Failure(kUsage, fmt::format("export --task {}: the tasks of {} are numbered 1 to {}", *number,
                                      names[0], plan.tasks.size()));
  TargetFolder folder(boost::filesystem::absolute(names[1]).string());
  for (const std::string& line : folder.keep_apart(plan.paths())) Progress().print_line("plainfs: " + line);
  options.store = plan.store;
  options.views = plan.views;
  options.subdir = plan.subdir;
  const RemoteOptions given = std::exchange(options.read, plan.read).remote;
  options.cells = plan.cells.path;
  options.genome = plan.genome.path;
  options.read.cells = planned_file("cells", plan.cells, read_cells_file);
  options.read.genome = planned_file("genome", plan.genome, read_genome_file);
  options.read.remote.cache_folder = given.cache_folder;  // of the machine that runs the task
  options.read.remote.cache_bytes = given.cache_bytes;
  options.index = sizes_folder(path);
  Session session(options);
  check_places(session, plan, folder, plan.tasks[*number - 1]);
  return Task(session, plan, folder, *number - 1).run();
}

}  // namespace plainfs
