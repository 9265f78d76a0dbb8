#include <algorithm>
#include <cstdio>
#include <ctime>

#include "fs/commands/commands.h"
#include "fs/commands/walk.h"
#include "fs/exit_code.h"
#include "fs/session.h"

namespace plainfs {
namespace {

std::string mode_text(mode_t mode) {
  std::string text = S_ISDIR(mode) ? "d" : S_ISLNK(mode) ? "l" : "-";
  for (int bit = 8; bit >= 0; --bit) text += (mode >> bit & 1) != 0 ? "xwr"[bit % 3] : '-';
  return text;
}

std::string time_text(time_t seconds) {
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

class Lister {
 public:
  Lister(Filesystem& filesystem, bool is_long) : filesystem_(filesystem), is_long_(is_long) {}

  // One line for what has the name.
  void print(Inode inode, const std::string& name) {
    std::string line = name;
    if (is_long_) {
      try {
        const struct stat status = filesystem_.status(inode);
        line = fmt::format("{} {:>14} {} {}", mode_text(status.st_mode), status.st_size,
                           time_text(status.st_mtime), name);
        if (S_ISLNK(status.st_mode)) line += " -> " + filesystem_.read_link(inode);
      } catch (const Error& error) {
        line = fmt::format("?????????? {:>14} {:16} {}", "?", "?", name);
        failed(inode, error);
      }
    }
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stdout);
  }

  void print_directory(Inode directory) {
    ListingPtr listing;
    try {
      listing = filesystem_.list(directory);
    } catch (const Error& error) {
      failed(directory, error);
      return;
    }
    std::vector<const Listing::Entry*> entries;
    for (const Listing::Entry& entry : listing->entries) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    for (const Listing::Entry* entry : entries) print(entry->inode, entry->name);
  }

  ExitCode exit_code() const { return exit_code_; }

 private:
  void failed(Inode inode, const Error& error) {
    std::fprintf(stderr, "plainfs: %s: %s\n", filesystem_.path(inode).c_str(), error.what());
    exit_code_ = exit_code_of(error.code());
  }

  Filesystem& filesystem_;
  const bool is_long_;
  ExitCode exit_code_ = kSuccess;
};

}  // namespace

int list_command(Arguments arguments) {
  const bool is_long = take_flag(arguments, 'l');
  const bool is_recursive = take_flag(arguments, 'R');
  const Options options = parse_options(arguments);
  Session session(options);
  Filesystem& filesystem = session.filesystem();
  const std::string start = plain_path(options.mountpoint);
  const Inode inode = filesystem.resolve(start);
  Lister lister(filesystem, is_long);
  if (filesystem.kind(inode) != FileKind::directory) {
    lister.print(inode, start);
  } else if (!is_recursive) {
    lister.print_directory(inode);
  } else {
    std::vector<WalkFailure> failures;  // the lister meets them again
    const char* gap = "";
    for (const Walked& walked : walk(filesystem, filesystem.path(inode), failures)) {
      if (walked.kind != FileKind::directory) continue;
      std::printf("%s%s:\n", gap, walked.path.empty() ? "." : walked.path.c_str());
      lister.print_directory(walked.inode);
      gap = "\n";
    }
  }
  return lister.exit_code();
}

}  // namespace plainfs
