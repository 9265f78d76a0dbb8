#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <tuple>
#include <utility>

#include "formats/core/base/modified_time.h"
#include "formats/core/text/printable.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/shell_word.h"
#include "fs/command_line/store_path.h"
#include "fs/commands/commands.h"
#include "fs/report/progress.h"
#include "fs/report/walk.h"
#include "fs/report/words.h"
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

// Returns whether a directory below start, "a/.b/c", is in one that begins with a dot.
bool is_hidden(const std::string& path, const std::string& start) {
  return path.starts_with(start) && ("/" + path.substr(start.size())).find("/.") != std::string::npos;
}

// The options of `ls`.
struct Style {
  bool is_long = false;        // -l
  bool is_human = false;       // -h: sizes as 1.5 GB
  bool has_hidden = false;     // -a: include names that begin with a dot or are found by name only
  bool marks_folders = false;  // -p, and on a terminal: a slash after the names of directories
  bool is_by_time = false;     // -t: the newest first
};

class Lister {
 public:
  Lister(Filesystem& filesystem, Style style) : filesystem_(filesystem), style_(style) {
    style_.marks_folders = style_.marks_folders || is_terminal_;
  }

  // Escapes control characters on a terminal, like ls(1); otherwise writes the bytes, for scripts.
  std::string name_text(const std::string& name) const { return is_terminal_ ? printable(name) : name; }

  // Prints a line for the entry.
  void print(Inode inode, const std::string& name) {
    const bool is_marked = style_.marks_folders && filesystem_.kind(inode) == FileKind::directory;
    const std::string shown = name_text(is_marked ? name + '/' : name);
    std::string line = shown;
    if (style_.is_long) {
      try {
        const struct stat status = filesystem_.status(inode);
        line = fmt::format("{} {:>14} {} {}", mode_text(status.st_mode), size_text(status.st_size),
                           time_text(status.st_mtime), shown);
        if (S_ISLNK(status.st_mode)) line += " -> " + name_text(filesystem_.read_link(inode));
      } catch (const Error& error) {
        line = fmt::format("?????????? {:>14} {:16} {}", "?", "?", shown);
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
    std::vector<Named> entries;
    for (const Listing::Entry& entry : listing->entries())
      if (style_.has_hidden || !entry.name.starts_with('.')) entries.push_back({entry.name, entry.inode});
    if (!style_.has_hidden) unsized_ += listing->unsized();
    if (style_.has_hidden)
      for (const Listing::Entry& entry : listing->unlisted()) entries.push_back({entry.name, entry.inode});
    std::sort(entries.begin(), entries.end(), [](const Named& a, const Named& b) { return a.name < b.name; });
    if (style_.is_by_time) sort_by_time(entries);
    for (const Named& entry : entries) print(entry.inode, entry.name);
  }

  ExitCode exit_code() const { return exit_code_; }

  // Reports the unlisted files of a remote store, such as an obs.csv that a user misses. store: as it was
  // given.
  void hint_at_unsized(const std::string& store) const {
    if (unsized_ == 0 || ::isatty(STDERR_FILENO) != 1) return;
    std::fprintf(
        stderr,
        "plainfs: %s not listed, because computing their sizes reads the store; they are found by name: "
        "plainfs ls -a %s\n",
        count_text(unsized_, "file").c_str(), shell_word(store).c_str());
  }

 private:
  struct Named {
    std::string name;
    Inode inode;
  };

  std::string size_text(off_t size) const {
    return style_.is_human ? byte_text(static_cast<double>(size)) : fmt::format("{}", size);
  }

  void sort_by_time(std::vector<Named>& entries) {
    const auto modified = [this](const Named& entry) -> timespec {
      try {
        return modified_time(filesystem_.status_so_far(entry.inode).stat);
      } catch (const Error&) {
        return {};  // print() reports the error
      }
    };
    std::vector<std::pair<timespec, Named>> timed;
    for (Named& entry : entries) timed.emplace_back(modified(entry), std::move(entry));
    std::stable_sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) {
      return std::tie(b.first.tv_sec, b.first.tv_nsec) < std::tie(a.first.tv_sec, a.first.tv_nsec);
    });
    for (size_t i = 0; i < timed.size(); ++i) entries[i] = std::move(timed[i].second);
  }

  void failed(Inode inode, const Error& error) {
    const std::string line = fmt::format("plainfs: {}: {}", filesystem_.path(inode), reason(error));
    std::fprintf(stderr, "%s\n", printable(line).c_str());
    exit_code_ = exit_code_of(error.code());
  }

  Filesystem& filesystem_;
  Style style_;
  size_t unsized_ = 0;  // files that are unlisted only because of their sizes
  const bool is_terminal_ = ::isatty(STDOUT_FILENO) == 1;
  ExitCode exit_code_ = kSuccess;
};

}  // namespace

int list_command(Arguments arguments) {
  const std::string letters = take_letters(arguments, "lRhapt");
  const auto has = [&](char letter) { return letters.find(letter) != std::string::npos; };
  const bool is_recursive = has('R');
  Options options = parse_options(arguments, 3, 0);
  split_store_path(options.names);
  if (options.names.size() > 2)
    throw Failure(kUsage, fmt::format("ls: one argument too many: {}", options.names[2]));
  options.store = options.names.empty() ? "" : options.names[0];
  Session session(options, {}, shown_pass());
  Filesystem& filesystem = session.filesystem();
  const std::string start = options.names.size() == 2 ? plain_path(options.names[1]) : std::string();
  const Inode inode = resolve_given(filesystem, options.store, start);
  Lister lister(filesystem, {has('l'), has('h'), has('a'), has('p'), has('t')});
  if (filesystem.kind(inode) != FileKind::directory) {
    lister.print(inode, start);
  } else if (!is_recursive) {
    lister.print_directory(inode);
  } else {
    std::vector<WalkFailure> failures;  // the lister reports them
    const char* gap = "";
    for (const Walked& walked : walk(filesystem, filesystem.path(inode), failures)) {
      if (walked.kind != FileKind::directory || (!has('a') && is_hidden(walked.path, start))) continue;
      std::printf("%s%s:\n", gap, walked.path.empty() ? "." : lister.name_text(walked.path).c_str());
      lister.print_directory(walked.inode);
      gap = "\n";
    }
  }
  lister.hint_at_unsized(options.store);
  return lister.exit_code();
}

}  // namespace plainfs
