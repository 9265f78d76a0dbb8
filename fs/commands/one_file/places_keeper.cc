#include "fs/commands/one_file/places_keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/core/base/descriptor.h"
#include "formats/core/base/own_program.h"
#include "formats/core/text/printable.h"
#include "fs/command_line/exit_code.h"
#include "fs/commands/one_file/places.h"

extern char** environ;

namespace plainfs {
namespace {

enum : uint32_t { kPaths, kReady, kDone };

constexpr uint64_t kMaxBytesOfPaths = 1 << 20;
// Another export to the same target may have the lock. It repairs the places itself, unless it is killed,
// too.
constexpr int kMaxKeeperTries = 3000;
constexpr timespec kBetweenTries{0, 20'000'000};

std::string joined(std::span<const std::string> paths) {
  std::string text;
  for (const std::string& path : paths) text.append(path).push_back('\0');
  return text;
}

std::vector<std::string> separated(std::string_view text) {
  std::vector<std::string> paths;
  for (size_t end; (end = text.find('\0')) != std::string_view::npos; text.remove_prefix(end + 1))
    paths.emplace_back(text.substr(0, end));
  return paths;
}

// Does nothing while another export writes that file.
void discard_part(const std::string& path) {
  try {
    const NewFile part(path);
  } catch (const Failure&) {
  }
}

// Returns why the places could not be repaired; "" if they are whole.
std::string repair(std::span<const std::string> paths) {
  try {
    const NewFile held(paths[0]);
    if (!repair_places(paths)) return {};
    for (const std::string& path : paths.subspan(1)) discard_part(path);
    std::fprintf(stderr, "plainfs: %s: the export was killed while it replaced files; they are whole again\n",
                 printable(paths[0]).c_str());
    return {};
  } catch (const Failure& failure) {
    return failure.what();
  }
}

void make_whole(std::span<const std::string> paths) {
  std::string refusal;
  for (int tries = 0; is_half_replaced(paths[0]) && tries < kMaxKeeperTries; ++tries) {
    refusal = repair(paths);
    if (!refusal.empty()) ::nanosleep(&kBetweenTries, nullptr);
  }
  if (!refusal.empty() && is_half_replaced(paths[0]))
    std::fprintf(stderr, "plainfs: %s\n", printable(refusal).c_str());
}

Failure not_started(const std::string& first, const char* why) {
  return Failure(kNotWritten,
                 fmt::format("{}: the process that protects files while they are replaced cannot "
                             "be started: {}",
                             first, why));
}

// Starts the program as the keeper, with that standard input and no signal blocked. Returns 0 or the error.
int spawn(pid_t& number, int input) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::vector<std::string> command = own_program().command();
  command.push_back(kKeepPlacesCommand);
  std::string name = "plainfs";
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.front() = name.data();
  arguments.push_back(nullptr);
  const int error =
      ::posix_spawn(&number, command.front().c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return error;
}

// Starts the keeper with the other end of a new channel as its input.
Channel start(pid_t& number, const std::string& first) {
  ChannelEnds ends = make_channel();
  // dup2 to the same number would leave it to be closed at exec.
  const Descriptor theirs(::fcntl(ends.theirs.number(), F_DUPFD_CLOEXEC, STDIN_FILENO + 1));
  const int error = theirs.number() < 0 ? errno : spawn(number, theirs.number());
  if (error != 0) throw not_started(first, std::strerror(error));
  return Channel(std::move(ends.ours), false);
}

}  // namespace

int keep_places() {
  Channel channel(Descriptor(STDIN_FILENO), false);
  const std::optional<Message> message = channel.receive(kMaxBytesOfPaths);
  if (!message || message->kind != kPaths) return kUsage;
  const std::vector<std::string> paths = separated(as_text(message->bytes));
  ::setsid();
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  if (paths.empty() || !channel.send(kReady, {})) return kUsage;
  if (!channel.receive(0)) make_whole(paths);
  return kSuccess;
}

PlacesKeeper::PlacesKeeper(std::span<const std::string> paths) : channel_(start(number_, paths[0])) {
  if (channel_.send(kPaths, as_byte_span(joined(paths))) && channel_.receive(0)) return;
  channel_ = {};
  wait_for_end(number_);
  throw not_started(paths[0], "it ended");
}

PlacesKeeper::~PlacesKeeper() {
  channel_.send(kDone, {});
  wait_for_end(number_);
}

}  // namespace plainfs
