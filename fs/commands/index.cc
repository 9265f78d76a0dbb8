#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "formats/core/base/descriptor.h"
#include "formats/core/base/location.h"
#include "formats/core/base/used_sources.h"
#include "formats/core/remote/object_origin.h"
#include "formats/core/remote/remote_sources.h"
#include "formats/core/text/path_names.h"
#include "fs/command_line/exit_code.h"
#include "fs/commands/commands.h"
#include "fs/commands/interruption.h"
#include "fs/commands/plan/replace_file.h"
#include "fs/commands/share.h"
#include "fs/commands/size_saver.h"
#include "fs/commands/target_folder.h"
#include "fs/report/progress.h"
#include "fs/report/walk.h"
#include "fs/report/words.h"
#include "fs/session.h"

namespace plainfs {
namespace {

// Files with the same values are near each other. This many views are open at once.
constexpr size_t kMeasuredTogether = 256;

// Data of a remote store that the sizes require are fetched once, however many files show them.
void measure_together(Filesystem& filesystem, const std::vector<Walked>& files, Progress& progress) {
  std::vector<Inode> together;
  for (size_t first = 0; first < files.size(); first += together.size()) {
    together.clear();
    for (size_t i = first; i < std::min(files.size(), first + kMeasuredTogether); ++i)
      together.push_back(files[i].inode);
    uint64_t reported = 0;
    filesystem.measure_together(together, [&](uint64_t part, uint64_t parts) {
      const uint64_t done = together.size() * (part + 1) / parts;
      progress.add(done - std::exchange(reported, done));
    });
  }
}

// Writes the index beside the store, for all its readers, or into the current folder for a URL that cannot be
// written to. Returns where it is.
std::string put_beside(const Options& options, Filesystem& filesystem) {
  const std::string store = filesystem.store()->path, beside = beside_location(store);
  const Bytes index = filesystem.index_to_lie_beside();
  if (remote::is_object_location(store)) {
    remote::put_object(beside, std::string(as_text(index)), options.read.remote);
    return beside;
  }
  const std::string name(last_name(beside)), folder = is_url(store) ? "." : folder_of_path(beside);
  const Descriptor around(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (around.number() < 0 || !replace_file(around, name, as_text(index)))
    throw Failure(kNotWritten,
                  fmt::format("{}: {}; the sizes are kept only in {}, as by plainfs index without "
                              "--beside",
                              joined_path(folder, name), std::strerror(errno), options.index));
  return is_url(store) ? fmt::format("{}; copy it to {}", name, beside) : beside;
}

// Measures this share of the files, without their sizes: each large text in part, and its share of the
// others. Returns how many files cannot be shown.
size_t measure_share(Session& session, const std::vector<Walked>& files, Share part, Progress& progress) {
  std::atomic<size_t> refused{0};
  session.context().workers.parallel_for(files.size(), [&](size_t i) {
    try {
      const bool has_turn = i % part.count == part.number - 1;
      session.filesystem().measure_part(files[i].inode, part.number - 1, part.count, has_turn);
    } catch (const Error&) {
      ++refused;  // opening the file reports the error
    }
    progress.add(1);
  });
  return refused;
}

// Measures all files. Returns how many cannot be shown.
size_t measure_all(Session& session, const std::vector<Walked>& files, bool is_remote, Progress& progress) {
  std::atomic<size_t> refused{0};
  if (is_remote) measure_together(session.filesystem(), files, progress);
  session.context().workers.parallel_for(files.size(), [&](size_t i) {
    try {
      session.filesystem().status(files[i].inode);
    } catch (const Error&) {
      ++refused;  // opening the file reports the error
    }
    if (!is_remote) progress.add(1);
  });
  return refused;
}

// Measures this share of the store's files, keeps the sizes, and prints where.
int measure(Session& session, const Options& options, Share part, bool is_beside) {
  Filesystem& filesystem = session.filesystem();
  std::vector<WalkFailure> failures;
  std::vector<Walked> files = walk(filesystem, "", failures);
  std::erase_if(files, [](const Walked& walked) { return walked.kind != FileKind::file; });
  size_t refused = 0;
  {
    Progress progress;
    progress.begin("measuring", Progress::Unit::files, files.size());
    refused = part.count > 1 ? measure_share(session, files, part, progress)
                             : measure_all(session, files, reads_url(options), progress);
  }
  std::string place = options.index;
  try {
    filesystem.save_index();
    if (is_beside) place = put_beside(options, filesystem);
  } catch (const Error& error) {
    throw Failure(is_unsupported(error) ? kUnsupported : kNotWritten,
                  fmt::format("{}: {}", options.store, reason(error)));
  }
  const std::string share = part.count > 1 ? fmt::format("part {} of {} of ", part.number, part.count) : "",
                    rest = refused == 0 ? "" : fmt::format(", {} that cannot be shown left out", refused);
  std::printf(
      "%s\n",
      fmt::format("{}{} in {}{}", share, count_text(files.size() - refused, "file"), place, rest).c_str());
  return kSuccess;
}

}  // namespace

int index_command(Arguments arguments) {
  const bool is_beside = take_flag(arguments, "--beside");
  const std::string part_text = take_value(arguments, "--part");
  const Share part = part_text.empty() ? Share() : parse_part(part_text);
  const Options options = parse_options(arguments, 1, 0);
  if (options.index.empty())
    throw Failure(kUsage, "index: no folder to keep it in; name one with -o index=DIR");
  if (is_beside && !part_text.empty())
    throw Failure(kUsage, "index: --beside is for the last run, which has no --part");
  struct stat status {};
  if (is_beside && options.read.join)
    throw Failure(kUnsupported,
                  "index: --beside is for one store; sizes of joined ones are kept in -o index=DIR");
  if (is_beside && !is_url(options.store) && ::stat(options.store.c_str(), &status) == 0 &&
      S_ISDIR(status.st_mode))
    throw Failure(kUnsupported, options.store + ": a folder; --beside is for a store that is one file");
  Interruption interruption;  // created before there are threads
  Session session(options, {}, shown_pass());
  // The pass may fetch the whole store, so what can be refused is refused before it.
  if (reads_url(options) && !session.context().files.stamps()) {
    const Error why = without_stamps(store_locations(options));
    // A local store among remote ones may only have been written to just before, as it may be after the pass.
    throw Failure(is_unsupported(why) ? kUnsupported : kNotWritten,
                  fmt::format("{}: {}", options.store, reason(why)));
  }
  int code = kSuccess;
  run_saving_sizes(session.filesystem(), options.store, interruption,
                   [&] { code = measure(session, options, part, is_beside); });
  return code;
}

}  // namespace plainfs
