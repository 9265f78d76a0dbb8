#include <algorithm>
#include <atomic>
#include <cstdio>

#include "formats/core/base/location.h"
#include "fs/commands/commands.h"
#include "fs/commands/progress.h"
#include "fs/commands/walk.h"
#include "fs/exit_code.h"
#include "fs/session.h"

namespace plainfs {

int index_command(Arguments arguments) {
  const Options options = parse_options(arguments, 1);
  if (options.index.empty())
    throw Failure(kUsage, "index: nowhere to keep it; name a folder with -o index=DIR");
  Session session(options);
  Filesystem& filesystem = session.filesystem();
  std::vector<WalkFailure> failures;
  std::vector<Walked> files = walk(filesystem, "", failures);
  std::erase_if(files, [](const Walked& walked) { return walked.kind != FileKind::file; });
  std::atomic<size_t> refused{0};
  {
    Progress progress;
    progress.begin("measuring", Progress::Unit::files, files.size());
    session.context().workers.parallel_for(files.size(), [&](size_t i) {
      try {
        filesystem.status(files[i].inode);
      } catch (const Error&) {
        ++refused;  // asking for it says why
      }
      progress.add(1);
    });
  }
  try {
    filesystem.save_index();
  } catch (const Error& error) {
    throw Failure(kNotWritten, fmt::format("{}: {}", options.store, reason(error)));
  }
  const std::string rest =
      refused == 0 ? "" : fmt::format(", {} that cannot be shown are left out", refused.load());
  std::printf(
      "%s\n",
      fmt::format("{} in {}{}", count_text(files.size() - refused, "file"), options.index, rest).c_str());
  return kSuccess;
}

}  // namespace plainfs
