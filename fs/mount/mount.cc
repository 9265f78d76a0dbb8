#include "fs/mount/mount.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/filesystem.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"
#include "fs/command_line/exit_code.h"
#include "fs/daemon/daemon.h"
#include "fs/daemon/daemon_sandbox.h"
#include "fs/daemon/index_ahead.h"
#include "fs/info.h"
#include "fs/mount/fuse.h"
#include "fs/mount/fuse_session.h"
#include "fs/mount/handed_socket.h"
#include "fs/mount/mount_keeper.h"
#include "fs/mount/mountpoint.h"
#include "fs/mount/supervisor.h"
#include "fs/mounts/mount_note.h"
#include "fs/mounts/mount_table.h"
#include "fs/session.h"

namespace plainfs {
namespace {

void add_default(std::vector<std::string>& options, const std::string& name, const std::string& value) {
  const std::string start = name + "=";
  for (const std::string& option : options) {
    if (option.rfind(start, 0) == 0) return;
  }
  options.push_back(start + value);
}

MountSettings settings_of(const Options& options, const std::string& mountpoint, const std::string& store) {
  MountSettings settings;
  settings.mountpoint = mountpoint;
  settings.mount_options = options.mount_options;
  settings.mount_options.emplace_back("ro");
  // Without this option the kernel lets other users read whatever the modes are.
  if (is_for_others(options)) settings.mount_options.emplace_back("default_permissions");
  add_default(settings.mount_options, "fsname", store);
  add_default(settings.mount_options, "subtype", "plainfs");
#ifdef __APPLE__
  add_default(settings.mount_options, "volname", store.substr(store.find_last_of('/') + 1));
  add_default(settings.mount_options, "daemon_timeout", "600");  // the maximum; sizes may take long
  // Finder requests "._x" beside every x, which does not exist.
  for (const char* const option : {"noappledouble", "noapplexattr"})
    settings.mount_options.emplace_back(option);
#endif
  settings.entry_timeout = options.entry_timeout;
  settings.attr_timeout = options.attr_timeout;
  settings.negative_timeout = options.negative_timeout;
  settings.debug = options.debug;
  settings.reopens_on_change = options.reopens_on_change;
  settings.begins_unsized = reads_url(options);
  return settings;
}

// Opens the log file before the mount, so that a file that cannot be opened is an error.
void begin_log_file(Log& log, const Options& options) {
  if (options.log_file.empty()) return;
  try {
    log.to_file(options.log_file, spdlog::level::from_str(options.log_level));
  } catch (const Error& error) {
    throw Failure(kNotWritten, error.what());
  }
}

void start_log(Log& log, const Options& options, MountKeeper* keeper) {
  const auto level = spdlog::level::from_str(options.log_level);
  if (options.foreground)
    log.to_standard_error(level);
  else if (keeper)
    log.to([keeper](int priority, const std::string& line) { keeper->log(priority, line); }, level);
  else
    log.to_system_log(level);
}

// Returns the action for SIGHUP if there is a log file: a new file replaces one that was moved away.
std::function<void()> log_opener(Log& log, const std::string& path, MountKeeper* keeper) {
  if (path.empty()) return nullptr;
  return [&log, path, keeper] {
    try {
      Descriptor file = keeper ? keeper->open_log() : open_log_file(path);
      if (file.number() >= 0) log.go_on_in(std::move(file));
    } catch (const Error& error) {
      log.warn(error.what());
    }
  };
}

// Returns whether mount.fuse3 started this program: it adds rw itself, together with one of these options.
bool is_from_mount_fuse(const Options& options) {
  const auto& given = options.mount_options;
  return std::find(given.begin(), given.end(), "dev") != given.end() ||
         std::find(given.begin(), given.end(), "suid") != given.end();
}

#ifdef __APPLE__
// macFUSE sends its first request before the mount is visible.
class WhenMounted {
 public:
  explicit WhenMounted(std::string mountpoint) : mountpoint_(std::move(mountpoint)) {}
  ~WhenMounted() {
    is_over_.store(true, std::memory_order_relaxed);
    if (thread_.joinable()) thread_.join();
  }
  WhenMounted(const WhenMounted&) = delete;
  WhenMounted& operator=(const WhenMounted&) = delete;

  // Calls the function from another thread once the system has the mount.
  void call(std::function<void()> answer) {
    thread_ = std::thread([this, answer = std::move(answer)] {
      while (!is_over_.load(std::memory_order_relaxed) && what_is_mounted(mountpoint_).device.empty())
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (!is_over_.load(std::memory_order_relaxed)) answer();
    });
  }

 private:
  const std::string mountpoint_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};
#endif

// Returns the options with the mountpoint that was passed over a socket.
Options with_passed_mount(Options options) {
  constexpr unsigned kPatience = 60;  // seconds
  if (!options.mountpoint.empty())
    throw Failure(kUsage, fmt::format("fuse_socket: the mount is made by another program; leave out {}",
                                      options.mountpoint));
  options.mountpoint = receive_mount(options.fuse_socket, kPatience);
  options.fuse_socket.clear();
  return options;
}

}  // namespace

int mount_store(const Options& options, const std::function<void()>& answers) {
  if (!options.fuse_socket.empty()) return mount_store(with_passed_mount(options), answers);
  if (options.asks_to_write && !is_from_mount_fuse(options))
    std::fputs("plainfs: rw: ignored, the mount is read-only\n", stderr);
  Daemon daemon(options.foreground);
  const bool is_handed_over = is_descriptor(options.mountpoint);
  std::optional<MountKeeper> keeper;
  std::string not_confined;
  const std::string log_file =
      options.log_file.empty() ? "" : boost::filesystem::absolute(options.log_file).string();
  if (options.sandbox == Sandbox::kRequired || (kKnowsSandbox && options.sandbox != Sandbox::kNone)) {
    if (!is_handed_over || !options.foreground) keeper.emplace(!is_handed_over, log_file);
    not_confined = enter_sandbox(options);
    if (options.sandbox == Sandbox::kRequired && !not_confined.empty())
      throw Failure(kUnsupported, "sandbox: " + not_confined);
  }
  Session session(options);
  if (const std::string missing = is_handed_over ? "" : missing_for_fuse(); !missing.empty()) {
    throw Failure(kNoSession, fmt::format("{}; {}", missing, kWithoutFuse));
  }
  if (reads_url(options) && options.views.empty()) session.filesystem().add_hidden_file(remote_readme());
  begin_log_file(session.log(), options);
  const Mountpoint mountpoint(options.mountpoint, *session.filesystem().store());
  if (is_handed_over && options.idle_seconds != 0)
    throw Failure(kUsage, fmt::format("timeout: {} was mounted by another program, which must unmount it",
                                      mountpoint.path()));
  if (!is_handed_over) session.context().options.mountpoint = mountpoint.path();
  MountSettings settings = settings_of(options, mountpoint.path(), session.filesystem().store()->path);
  settings.keeper = keeper && !is_handed_over ? &*keeper : nullptr;
  settings.answers = [&] {
    if (mountpoint.is_chosen()) std::printf("%s\n", mountpoint.path().c_str());
    std::fflush(stdout);
    daemon.ready();
    if (answers) answers();
  };
#ifdef __APPLE__
  WhenMounted when_mounted(mountpoint.path());
  settings.answers = [&when_mounted, answer = std::move(settings.answers)] { when_mounted.call(answer); };
#endif
  wait_for_file_time();      // changes after the mount answers then have a later time
  const SignalPipe signals;  // from here on no signal ends the process directly
  FuseMount mount(session.filesystem(), std::move(settings));
  const MountNote note(session.filesystem().store()->path, mountpoint.path());
  start_log(session.log(), options, keeper ? &*keeper : nullptr);
  const std::string what = fmt::format("{} at {}", session.filesystem().store()->path, mountpoint.path());
  session.log().info(fmt::format("mounted {}, process {}", what, ::getpid()));
  if (!not_confined.empty()) session.log().info("not completely confined: " + not_confined);
  try {
    const Supervisor supervisor(signals, mount, session.filesystem(), session.log(), options.idle_seconds,
                                log_opener(session.log(), log_file, keeper ? &*keeper : nullptr));
    std::optional<IndexAhead> ahead;
    if (options.indexes_ahead && !options.index.empty())
      ahead.emplace(session.filesystem(), [&session](const std::string& line) { session.log().warn(line); });
    mount.serve();
  } catch (const std::system_error& error) {
    throw Failure(kLoopFailed, fmt::format("cannot start a thread: {}", error.what()));
  }
  session.log().info("unmounted " + what);
  return kSuccess;
}

}  // namespace plainfs
