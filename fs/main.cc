// The program: mounts a store, or reads it without a mount.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "formats/containers/hdf5/process/serve.h"
#include "formats/core/base/location.h"
#include "formats/core/text/path_names.h"
#include "fs/command_line/command_help.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/options.h"
#include "fs/commands/commands.h"
#include "fs/commands/one_file/places_keeper.h"
#include "fs/commands/standard_output.h"
#include "fs/daemon/daemon.h"
#include "fs/ending.h"
#include "fs/info.h"
#include "fs/mount/fuse.h"
#include "fs/mount/mount.h"
#include "fs/mount/run.h"
#include "fs/serve/serve.h"

namespace plainfs {
namespace {

// Returns a hint for a word that other programs use for a command of plainfs; "" for a file or any other
// word.
std::string meant_command(const std::string& word) {
  struct Meant {
    std::string_view word;
    std::string_view hint;
  };
  static constexpr Meant kMeant[] = {
      {"unmount", "not a command; to unmount: plainfs umount MOUNTPOINT"},
      {"mount", "not a command; to mount: plainfs STORE MOUNTPOINT"},
      {"list", "not a command; to list a store: plainfs ls STORE"},
      {"dir", "not a command; to list a store: plainfs ls STORE"},
      {"copy", "not a command; to copy a store out: plainfs export STORE DIR"},
      {"extract", "not a command; to copy a store out: plainfs export STORE DIR"},
      {"convert", "not a command; to write a store as another file: plainfs export STORE FILE"},
      {"verify", "not a command; to read all of a store: plainfs check STORE"},
      {"tree", "not a command; to list all of a store: plainfs ls -R STORE"},
      {"du", "not a command; to list all of a store with its sizes: plainfs ls -lR STORE"},
      {"head", "not a command; to read the start of a file: plainfs cat STORE PATH | head"},
      {"version", "not a command; for the version: plainfs --version"},
  };
  if (::access(word.c_str(), F_OK) == 0) return {};
  for (const Meant& meant : kMeant)
    if (meant.word == word) return std::string(meant.hint);
  const std::string_view nearest = nearest_command(word);
  return nearest.empty() ? "" : fmt::format("no such file or command; did you mean plainfs {}?", nearest);
}

int show_about(const Options& options) {
  if (options.help) {
    std::fputs(help_text().c_str(), stdout);
    return kSuccess;
  }
  std::printf("plainfs %s\nlibfuse %s\n", version_text().c_str(), fuse_library_version().c_str());
  for (const auto& [library, version] : library_versions())
    if (library != "plainfs" && library != "libfuse")
      std::printf("%s %s\n", library.c_str(), version.text()->c_str());
  std::fputs(static_packages().c_str(), stdout);
  return kSuccess;
}

// Mounts in the way that mount(8) requires of helpers: exit code 1 for wrong use, 32 for a mount that failed,
// and with nofail no message about a missing store.
int mount_as_helper(const std::vector<std::string>& given) {
  const MountHelper helper = from_mount_helper(given);
  Options options = parse_options(helper.arguments);
  options.asks_to_write = false;  // mount(8) adds rw itself
  if (options.help || options.version) return show_about(options);
  if (helper.is_fake) return kSuccess;
  if (options.may_be_absent && !is_url(options.store) && ::access(options.store.c_str(), F_OK) != 0 &&
      errno == ENOENT)
    return kSuccess;
  try {
    return mount_store(options);
  } catch (const Failure& failure) {
    throw Failure(failure.code() == kUsage ? kUsage : kHelperFailed, failure.what());
  } catch (const Error& error) {
    throw Failure(kHelperFailed, error.what());
  }
}

// Flushes the output and returns `code`.
int with_output(int code) {
  finish_output();
  return code;
}

// command: "" = plainfs itself.
int show_help(const std::string& command) {
  if (!command.empty() && !is_command(command))
    throw Failure(kUsage, fmt::format("help: unknown command {}; for all commands: plainfs --help", command));
  std::fputs(command.empty() ? help_text().c_str() : help_of_command(command).c_str(), stdout);
  return kSuccess;
}

// Changes "-o index=none ls STORE" to "ls -o index=none STORE".
void put_command_first(std::vector<std::string>& arguments) {
  const size_t at = first_name(arguments);
  if (at == arguments.size() || !is_command(arguments[at])) return;
  const auto name = arguments.begin() + static_cast<std::ptrdiff_t>(at);
  std::rotate(arguments.begin(), name, name + 1);
}

// Requires: is_command(name).
int run_named(const std::string& name, std::vector<std::string> arguments) {
  if (asks_for_help(arguments)) return with_output(show_help(name));
  if (name == "run") return run_command(arguments);
  if (name == "serve") return serve::serve_command(arguments);
  return with_output(find_command(name)->run(std::move(arguments)));
}

int run(const std::string& program, std::vector<std::string> arguments) {
  if (arguments.size() == 1 && arguments[0] == hdf5::kServeCommand) return hdf5::serve_library();
  if (arguments.size() == 1 && arguments[0] == kKeepPlacesCommand) return keep_places();
  const std::string name(last_name(program));
  if (name.starts_with("mount.") || name == "mount_plainfs") return mount_as_helper(arguments);
  put_command_first(arguments);
  const std::string word = arguments.empty() ? "" : arguments.front();
  if (is_command(word)) return run_named(word, {arguments.begin() + 1, arguments.end()});
  if (word == "help" && ::access(word.c_str(), F_OK) != 0)
    return with_output(show_help(arguments.size() > 1 ? arguments[1] : ""));
  if (const std::string hint = arguments.empty() ? "" : meant_command(arguments.front()); !hint.empty())
    throw Failure(kUsage, fmt::format("{}: {}", arguments.front(), hint));
  const Options options = parse_options(arguments);
  return options.help || options.version ? with_output(show_about(options)) : mount_store(options);
}

}  // namespace
}  // namespace plainfs

int main(int count, char** given) {
  const std::vector<std::string> arguments(given + (count > 0), given + count);
  plainfs::tune_allocator();
  plainfs::note_program();
  return plainfs::exit_code([&] { return plainfs::run(count > 0 ? given[0] : "plainfs", arguments); });
}
