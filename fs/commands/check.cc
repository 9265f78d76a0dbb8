#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>

#include "cache/mutex.h"
#include "formats/core/text/printable.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/store_path.h"
#include "fs/commands/commands.h"
#include "fs/report/outside_links.h"
#include "fs/report/progress.h"
#include "fs/report/walk.h"
#include "fs/session.h"

namespace plainfs {
namespace {

// What is wrong, by path and then by what. Thread-safe.
class Complaints {
 public:
  void add(const std::string& path, const Error& error) {
    const MutexLock lock(mutex_);
    const ExitCode code = exit_code_of(error.code());
    worst_ = worse(worst_, code == kUnsupported || code == kNotReadable ? code : kDamaged);
    lines_.emplace_back("/" + path, fmt::format("{}: {}", kind_of(error.code()), error.what()));
  }
  void add_warning(const std::string& message) {
    const MutexLock lock(mutex_);
    worst_ = kDamaged;
    lines_.emplace_back("", message);
  }

  // Each finding once and in a line, in the order of their paths.
  void print() {
    const MutexLock lock(mutex_);
    std::sort(lines_.begin(), lines_.end());
    lines_.erase(std::unique(lines_.begin(), lines_.end()), lines_.end());
    for (const auto& [path, what] : lines_)
      std::printf("%s%s%s\n", printable(path).c_str(), path.empty() ? "" : ": ", printable(what).c_str());
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
  // Damage counts most, then what the system keeps from being read.
  static ExitCode worse(ExitCode a, ExitCode b) {
    for (const ExitCode code : {kDamaged, kNotReadable, kUnsupported}) {
      if (a == code || b == code) return code;
    }
    return b;
  }

  mutable Mutex mutex_;
  std::vector<std::pair<std::string, std::string>> lines_ GUARDED_BY(mutex_);
  ExitCode worst_ GUARDED_BY(mutex_) = kSuccess;
};

// The bytes of a file that was read to its end.
uint64_t read_whole(Filesystem& filesystem, const Walked& walked) {
  const uint64_t size = static_cast<uint64_t>(filesystem.status(walked.inode).st_size);
  const OpenFile file = filesystem.open(walked.inode);
  uint64_t got = 0;
  for (;;) {
    const size_t piece = filesystem.read(file, got, kPiece).size();
    got += piece;
    if (piece < kPiece) break;
  }
  if (got != size) throw damaged("{} bytes read, {} expected", got, size);
  return got;
}

// Whether the link leads to something that is shown. What it leads to is read where that has its own name.
bool leads_somewhere(Filesystem& filesystem, const Walked& link) {
  try {
    filesystem.resolve(link.path);
    return true;
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
    return false;
  }
}

uint64_t check(Filesystem& filesystem, const Walked& walked, Complaints& complaints,
               std::atomic<uint64_t>& links_to_nothing) {
  uint64_t bytes = 0;
  try {
    if (walked.kind == FileKind::file) bytes = read_whole(filesystem, walked);
    if (walked.kind == FileKind::link)
      links_to_nothing += !leads_somewhere(filesystem, walked);
    else
      filesystem.attribute_names(walked.inode);
  } catch (const Error& error) {
    complaints.add(walked.path, error);
  }
  return bytes;
}

// Each value once: that another program's format cannot hold one is no damage.
std::string views_that_show_all() {
  std::string names;
  for (const View& view : views())
    if (!view.shows_again) names += (names.empty() ? "" : ",") + std::string(view.option);
  return names;
}

}  // namespace

int check_command(Arguments arguments) {
  Options options = parse_options(arguments, kManyNames);
  split_store_path(options.names);
  if (!options.names.empty()) options.store = options.names[0];
  const std::vector<std::string> paths(options.names.begin() + !options.names.empty(), options.names.end());
  if (options.views.empty() && paths.empty()) options.views = views_that_show_all();
  options.index.clear();  // what is known from before may be what is wrong
  Complaints complaints;
  Session session(
      options, [&](const std::string& message) { complaints.add_warning(message); }, shown_pass());
  Filesystem& filesystem = session.filesystem();
  std::vector<WalkFailure> failures;
  for (const std::string& path : paths) resolve_given(filesystem, options.store, path);
  const std::vector<Walked> all = walk_given(filesystem, paths, failures);
  for (const WalkFailure& failure : failures) complaints.add(failure.path, failure.error);
  const auto is_file = [](const Walked& walked) { return walked.kind == FileKind::file; };
  const auto files = static_cast<uint64_t>(std::count_if(all.begin(), all.end(), is_file));
  std::atomic<uint64_t> bytes{0}, links_to_nothing{0};
  {
    Progress progress;
    progress.begin("reading", Progress::Unit::files, files);
    session.context().workers.parallel_for(all.size(), [&](size_t i) {
      bytes += check(filesystem, all[i], complaints, links_to_nothing);
      if (is_file(all[i])) progress.add(1);
    });
  }
  complaints.print();
  std::string outcome =
      complaints.count() == 0 ? std::string("all readable") : count_text(complaints.count(), "finding");
  const size_t outside = session.context().options.follow_outside ? 0 : count_outside_links(filesystem, all);
  if (outside > 0) outcome += "; " + outside_links_text(outside);
  links_to_nothing -= std::min<uint64_t>(links_to_nothing, outside);
  if (links_to_nothing > 0)
    outcome += fmt::format("; {} to nothing that is shown here", count_text(links_to_nothing, "link"));
  std::printf("%s\n", fmt::format("{}, {}: {}", count_text(files, "file"),
                                  byte_text(static_cast<double>(bytes)), outcome)
                          .c_str());
  return complaints.exit_code();
}

}  // namespace plainfs
