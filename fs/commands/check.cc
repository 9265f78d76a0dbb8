#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <set>

#include "cache/mutex.h"
#include "formats/core/model/elements/shown_attributes.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/printable.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/store_path.h"
#include "fs/commands/commands.h"
#include "fs/report/outside_links.h"
#include "fs/report/progress.h"
#include "fs/report/walk.h"
#include "fs/report/words.h"
#include "fs/session.h"
#include "fs/tree/directory.h"

namespace plainfs {
namespace {

// The faults found, by path and then by text. Thread-safe.
class Complaints {
 public:
  void add(const std::string& path, const Error& error) {
    const MutexLock lock(mutex_);
    const ExitCode code = exit_code_of(error.code());
    worst_ = worse(worst_, code == kUnsupported || code == kNotReadable ? code : kDamaged);
    lines_.emplace_back("/" + path, fmt::format("{}: {}", kind_of(error.code()), error.what()));
  }
  // Adds a fault of a file that is generated from others, unless one of them has the same fault.
  void add_of_generated(const std::string& path, const Error& error) {
    const std::string what = fmt::format("{}: {}", kind_of(error.code()), error.what());
    {
      const MutexLock lock(mutex_);
      const auto is_known = [&](const auto& line) { return line.second == what; };
      if (std::any_of(lines_.begin(), lines_.end(), is_known)) return;
    }
    add(path, error);
  }
  // Adds what the format of a file cannot hold, though the store is sound: unless the store has the same
  // fault.
  void add_limit(const std::string& path, const Error& error) {
    const std::string what = fmt::format("{}: {}", kind_of(error.code()), error.what());
    const MutexLock lock(mutex_);
    const auto is_known = [&](const auto& line) { return line.second == what; };
    if (std::none_of(lines_.begin(), lines_.end(), is_known)) limits_.insert("/" + path + ": " + what);
  }
  void add_warning(const std::string& message) {
    const MutexLock lock(mutex_);
    worst_ = kDamaged;
    lines_.emplace_back("", message);
  }

  // Prints each fault once, one per line, sorted by path.
  void print() {
    const MutexLock lock(mutex_);
    std::sort(lines_.begin(), lines_.end());
    lines_.erase(std::unique(lines_.begin(), lines_.end()), lines_.end());
    for (const auto& [path, what] : lines_)
      std::printf("%s%s%s\n", printable(path).c_str(), path.empty() ? "" : ": ", printable(what).c_str());
  }
  // Returns what files cannot hold, one per line, sorted.
  std::set<std::string> limits() const {
    const MutexLock lock(mutex_);
    return limits_;
  }
  // Returns whether a notice, "PATH: FAULT", is one of the faults.
  bool includes(const std::string& notice) const {
    const MutexLock lock(mutex_);
    return std::any_of(lines_.begin(), lines_.end(), [&](const auto& line) {
      const size_t end = line.first.size();
      return notice.starts_with(line.first + ": ") && line.second.ends_with(notice.substr(end));
    });
  }
  ExitCode exit_code() const {
    const MutexLock lock(mutex_);
    return worst_;
  }
  size_t count() const {
    const MutexLock lock(mutex_);
    return lines_.size();
  }

 private:
  // Damage outranks files that the system cannot read, and both outrank unsupported content.
  static ExitCode worse(ExitCode a, ExitCode b) {
    for (const ExitCode code : {kDamaged, kNotReadable, kUnsupported}) {
      if (a == code || b == code) return code;
    }
    return b;
  }

  mutable Mutex mutex_;
  std::vector<std::pair<std::string, std::string>> lines_ GUARDED_BY(mutex_);
  std::set<std::string> limits_ GUARDED_BY(mutex_);
  ExitCode worst_ GUARDED_BY(mutex_) = kSuccess;
};

// Reads a file to its end, or until at least `most` bytes were read. Returns the number of bytes.
uint64_t read_file(Filesystem& filesystem, const Walked& walked, uint64_t most) {
  const uint64_t size = static_cast<uint64_t>(filesystem.status(walked.inode).st_size);
  const OpenFile file = filesystem.open(walked.inode);
  uint64_t got = 0;
  while (got < most) {
    const size_t piece = filesystem.read(file, got, kPiece).size();
    got += piece;
    if (piece < kPiece) break;
  }
  if (got != size && got < most) throw damaged("{} bytes read, expected {}", got, size);
  return got;
}

// Returns whether the link has a target that is shown. The target itself is read under its own name.
bool leads_somewhere(Filesystem& filesystem, const Walked& link) {
  try {
    filesystem.resolve(link.path);
    return true;
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
    return false;
  }
}

// Reports attributes that are shown as errors, once for all views of a member of the store.
void check_attributes(Filesystem& filesystem, const Walked& walked, Complaints& complaints) {
  const OpenMeaning of = filesystem.meaning(walked.inode);
  const bool is_directory = walked.kind == FileKind::directory;
  const std::vector<Error> faults = faults_of_attributes(
      [&] { return is_directory ? own_attributes(of.what.node) : attributes_of(of.what.node); });
  if (faults.empty()) return;
  std::string path = walked.path;
  if (!is_directory) {
    const std::string folder(path_above(path));
    path = of.what.member.empty() ? folder : joined_path(folder, of.what.member);
  }
  for (const Error& fault : faults) complaints.add(path, fault);
}

// Returns whether path is one of the two indexes of a .gz and the other one can be read: a .csi holds
// positions that are too large for a .tbi, and is not needed otherwise.
bool has_other_index(Filesystem& filesystem, const std::string& path) {
  constexpr std::string_view kTabix = ".gz.tbi", kCsi = ".gz.csi";
  const bool is_tabix = path.ends_with(kTabix);
  if (!is_tabix && !path.ends_with(kCsi)) return false;
  const std::string text = path.substr(0, path.size() - kTabix.size());
  try {
    return filesystem.status(filesystem.find(text + std::string(is_tabix ? kCsi : kTabix))).st_size > 0;
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return false;
  }
}

uint64_t check(Filesystem& filesystem, const Walked& walked, Complaints& complaints,
               std::atomic<uint64_t>& links_to_nothing) {
  uint64_t bytes = 0;
  try {
    if (walked.kind == FileKind::file) bytes = read_file(filesystem, walked, UINT64_MAX);
    if (walked.kind == FileKind::link)
      links_to_nothing += !leads_somewhere(filesystem, walked);
    else
      check_attributes(filesystem, walked, complaints);
  } catch (const Error& error) {
    if (error.code() != Errc::unsupported || !has_other_index(filesystem, walked.path))
      complaints.add(walked.path, error);
  }
  return bytes;
}

// Reads a file for another program: its size, which determines its layout, and its beginning.
uint64_t check_generated(Filesystem& filesystem, const Walked& walked, Complaints& complaints) {
  try {
    return read_file(filesystem, walked, kPiece);
  } catch (const Error& error) {
    if (error.code() != Errc::unsupported)
      complaints.add_of_generated(walked.path, error);
    else if (!has_other_index(filesystem, walked.path))
      complaints.add_limit(walked.path, error);
    return 0;
  }
}

// Returns the files in the entries that are generated for other programs.
std::vector<Walked> files_in(Filesystem& filesystem, const std::vector<Walked>& generated,
                             std::vector<WalkFailure>& failures) {
  std::vector<Walked> files;
  for (const Walked& each : generated) {
    const std::vector<Walked> below =
        each.kind == FileKind::directory ? walk(filesystem, each.path, failures) : std::vector{each};
    std::copy_if(below.begin(), below.end(), std::back_inserter(files),
                 [](const Walked& walked) { return walked.kind == FileKind::file; });
  }
  return files;
}

// Returns all views, except those many times larger than the store, and those that each array or image has
// for programs of one kind.
std::string views_to_check() {
  constexpr std::string_view kLeftOut[] = {"bin", "tif", "png", "mat", "bw", kPartsView};
  std::string names;
  for (const View& view : views())
    if (std::find(std::begin(kLeftOut), std::end(kLeftOut), view.option) == std::end(kLeftOut))
      names += (names.empty() ? "" : ",") + std::string(view.option);
  return names;
}

class Checked {
 public:
  Checked(Session& session, Complaints& complaints) : session_(session), complaints_(complaints) {}

  // made: the entries in `all` that are generated for other programs; they are checked after the rest.
  void check_all(const std::vector<Walked>& all, const std::vector<Walked>& generated) {
    const auto is_file = [](const Walked& walked) { return walked.kind == FileKind::file; };
    files_ = static_cast<uint64_t>(std::count_if(all.begin(), all.end(), is_file)) + generated.size();
    Progress progress;
    progress.begin("reading", Progress::Unit::files, files_);
    Filesystem& filesystem = session_.filesystem();
    session_.context().workers.parallel_for(all.size(), [&](size_t i) {
      bytes_ += check(filesystem, all[i], complaints_, links_to_nothing_);
      if (is_file(all[i])) progress.add(1);
    });
    if (!session_.context().options.follow_outside) outside_ = count_outside_links(filesystem, all);
    session_.context().workers.parallel_for(generated.size(), [&](size_t i) {
      bytes_ += check_generated(filesystem, generated[i], complaints_);
      progress.add(1);
    });
  }

  std::string outcome() const {
    std::string text =
        complaints_.count() == 0 ? std::string("all readable") : count_text(complaints_.count(), "finding");
    if (outside_ > 0) text += "; " + outside_links_text(outside_);
    if (links_to_nothing_ > outside_)
      text += fmt::format("; {} to nothing shown here", count_text(links_to_nothing_ - outside_, "link"));
    return fmt::format("{}, {}: {}", count_text(files_, "file"), byte_text(static_cast<double>(bytes_)),
                       text);
  }

 private:
  Session& session_;
  Complaints& complaints_;
  uint64_t files_ = 0;
  std::atomic<uint64_t> bytes_{0}, links_to_nothing_{0};
  uint64_t outside_ = 0;  // links that lead out of the folder, which have no target that is shown
};

}  // namespace

int check_command(Arguments arguments) {
  Options options = parse_options(arguments, kManyNames, 0);
  split_store_path(options.names);
  if (!options.names.empty()) options.store = options.names[0];
  const std::vector<std::string> paths(options.names.begin() + !options.names.empty(), options.names.end());
  const bool is_of_all = options.views.empty() && paths.empty();
  if (is_of_all) options.views = views_to_check();
  options.index.clear();  // the index itself may be wrong
  Complaints complaints;
  Session session(
      options, [&](const std::string& message) { complaints.add_warning(message); }, shown_pass());
  Filesystem& filesystem = session.filesystem();
  std::vector<WalkFailure> failures;
  for (const std::string& path : paths) resolve_given(filesystem, options.store, path);
  std::vector<Walked> repeated;
  const std::vector<Walked> all = walk_given(filesystem, paths, failures, is_of_all ? &repeated : nullptr);
  const std::vector<Walked> generated = files_in(filesystem, repeated, failures);
  for (const WalkFailure& failure : failures) complaints.add(failure.path, failure.error);
  Checked checked(session, complaints);
  checked.check_all(all, generated);
  complaints.print();
  std::printf("%s\n", checked.outcome().c_str());
  // Data left out of a file, or unusual data, are not errors, nor are data that one of many formats cannot
  // hold.
  for (const std::string& line : complaints.limits()) std::printf("notice: %s\n", printable(line).c_str());
  for (const std::string& line : session.notices().lines())
    if (!complaints.includes(line)) std::printf("notice: %s\n", printable(line).c_str());
  return complaints.exit_code();
}

}  // namespace plainfs
