// `plainfs export --tar STORE -`: everything as one stream, for places where files are expensive (inode
// quotas, object stores, rsync of millions). Sizes are known before the content is generated, so the stream
// needs no disk space.
#include <unistd.h>

#include "fs/command_line/store_path.h"
#include "fs/commands/exported.h"
#include "fs/commands/plan/plan_commands.h"
#include "fs/commands/read_sources.h"
#include "fs/commands/standard_output.h"
#include "fs/commands/tar_header.h"
#include "fs/session.h"

namespace plainfs {
namespace {

// Thrown if the reader of the stream has left, as after `| head`.
struct NobodyReads {};

class Tar {
 public:
  explicit Tar(Session& session) : filesystem_(session.filesystem()), workers_(session.context().workers) {}

  ExitCode run(const std::vector<std::string>& paths, const Options& options) {
    const Exported found = find_exported(filesystem_, paths, options, failures_);
    if (const std::string line = left_out_text(found); !line.empty()) progress_.print_line(line);
    progress_.begin("writing", Progress::Unit::files, found.files.size());
    for (const std::string& path : found.folders)
      if (!path.empty()) put(tar_header(path, filesystem_.status(filesystem_.find(path))));
    for (const ExportedLink& link : found.links)
      put(tar_header(link.path, filesystem_.status(filesystem_.find(link.path)), link.text));
    add_all(found);
    put(tar_end());
    return failures_.code();
  }

 private:
  static void put(std::string_view text) {
    if (!write_out(text)) throw NobodyReads();
  }

  // The marks of whole folders come last, if the folder is complete.
  void add_all(const Exported& found) {
    WholeFolders whole = found.whole_folders();
    for (const bool are_marks : {false, true}) {
      for (const Copy& copy : found.files) {
        if (whole.is_mark(copy.path) != are_marks) continue;
        if (!are_marks || !whole.is_broken(copy.path)) add(copy, whole);
        progress_.add(1);
      }
    }
    for (const std::string& folder : whole.broken())
      progress_.print_line(fmt::format("{}: left incomplete, because a part of it cannot be written",
                                       folder.empty() ? "." : folder));
  }

  // A failure before the header is written skips this file. After the header has published its size, the
  // stream ends without its end marker, which every reader takes for an error.
  void add(const Copy& copy, WholeFolders& whole) {
    bool is_begun = false;
    try {
      const struct stat status = filesystem_.status(copy.inode);
      const auto size = static_cast<uint64_t>(status.st_size);
      const OpenFile file = filesystem_.open(copy.inode);
      const auto begin = [&] {
        if (!std::exchange(is_begun, true)) put(tar_header(copy.path, status));
      };
      make_pieces(filesystem_, workers_, file, 0, size, [&](uint64_t, const Slices& piece) {
        begin();
        if (!write_out(piece)) throw NobodyReads();
        return true;
      });
      begin();  // of an empty file
      put(std::string(tar_padding(size), '\0'));
    } catch (const Error& error) {
      if (is_begun)
        throw Failure(exit_code_of(error.code()),
                      fmt::format("{}: {}; the archive ends in the middle of it", copy.path, reason(error)));
      failures_.add(copy.path, error);
      whole.add_failure(copy.path);
    }
  }

  Filesystem& filesystem_;
  Workers& workers_;
  Progress progress_;
  Failures failures_{progress_};
};

}  // namespace

int tar_command(Arguments arguments) {
  Options options = parse_options(arguments, kManyNames);
  split_store_path(options.names);
  if (options.names.size() < 2 || options.names.back() != "-")
    throw Failure(kUsage, "export --tar: expected a store and -: plainfs export --tar STORE - > STORE.tar");
  if (::isatty(STDOUT_FILENO) != 0)
    throw Failure(kUsage, "export --tar: standard output is a terminal; redirect it to a file or a pipe");
  options.store = options.names[0];
  Session session(options);
  ReadSources(session).check_output();
  try {
    return Tar(session).run({options.names.begin() + 1, options.names.end() - 1}, options);
  } catch (const NobodyReads&) {
    return kSuccess;
  }
}

}  // namespace plainfs
