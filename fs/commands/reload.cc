#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "formats/core/base/descriptor.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/options.h"
#include "fs/commands/commands.h"
#include "fs/mounts/mount_note.h"

namespace plainfs {
namespace {

constexpr std::chrono::milliseconds kBetweenAsking{10};
constexpr std::string_view kFailure = "the store cannot be reopened: ";

// Returns a number from one of the files of .plainfs; nullopt if it is missing.
std::optional<uint64_t> number(const std::string& path, const char* name) {
  return count_in(json_in(path), name);
}

// Returns the reason of the last failed attempt, from the log.
std::string last_failure(const std::string& log) {
  const std::string text = file_content(log).value_or("");
  const size_t start = text.rfind(kFailure);
  if (start == std::string::npos) return std::string(kFailure) + log + " has the reason";
  return text.substr(start, text.find('\n', start) - start);
}

}  // namespace

int reload_command(Arguments arguments) {
  const Options options = parse_options(arguments, 1);
  if (options.store.empty())
    throw Failure(kUsage, "reload: expected a mountpoint: plainfs reload MOUNTPOINT");
  const std::string& mountpoint = options.store;
  const std::string own = mountpoint + "/.plainfs/", statistics = own + "stats.json";
  const auto process = number(own + "info.json", "pid");
  const auto reopened = number(statistics, "reopened"), failed = number(statistics, "not_reopened");
  if (!process || !reopened || !failed || !is_plainfs(static_cast<pid_t>(*process)))
    throw Failure(kNotFound, mountpoint + ": not a mount of plainfs");
  const auto pid = static_cast<pid_t>(*process);
  if (::kill(pid, SIGUSR1) != 0)
    throw Failure(kNotReadable, fmt::format("{}: process {}: {}", mountpoint, pid, std::strerror(errno)));
  for (;;) {
    if (number(statistics, "reopened").value_or(*reopened) != *reopened) return kSuccess;
    if (number(statistics, "not_reopened").value_or(*failed) != *failed)
      throw Failure(kNotReadable, fmt::format("{}: {}", mountpoint, last_failure(own + "log")));
    if (::kill(pid, 0) != 0) throw Failure(kNotReadable, mountpoint + ": no longer mounted");
    std::this_thread::sleep_for(kBetweenAsking);
  }
}

}  // namespace plainfs
