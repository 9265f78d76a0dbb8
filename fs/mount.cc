#include "fs/mount.h"

#include <boost/filesystem.hpp>
#include <cerrno>
#include <cstring>

#include "fs/daemon.h"
#include "fs/exit_code.h"
#include "fs/fuse.h"
#include "fs/session.h"
#include "fs/supervisor.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

// The mountpoint without links. Throws Failure where it cannot be one.
std::string usable_mountpoint(const std::string& given) {
  boost::system::error_code error;
  const files::file_status status = files::status(given, error);
  if (status.type() == files::file_not_found) throw Failure(kMountFailed, given + ": no such mountpoint");
  if (error == boost::system::errc::not_connected) {
    throw Failure(
        kMountFailed,
        fmt::format("{}: a mount whose program is gone; clear it with: fusermount3 -u {}", given, given));
  }
  if (error) throw Failure(kMountFailed, fmt::format("{}: {}", given, error.message()));
  if (status.type() != files::directory_file) throw Failure(kMountFailed, given + ": not a directory");
  const std::string path = files::canonical(given).string();
  if (is_mounted_by_fuse(path)) throw Failure(kMountFailed, given + ": busy: something is mounted there");
  return path;
}

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
  add_default(settings.mount_options, "fsname", store);
  add_default(settings.mount_options, "subtype", "plainfs");
  settings.entry_timeout = options.entry_timeout;
  settings.attr_timeout = options.attr_timeout;
  settings.negative_timeout = options.negative_timeout;
  settings.single_threaded = options.single_threaded;
  settings.debug = options.debug;
  return settings;
}

void start_log(Log& log, const Options& options) {
  const auto level = spdlog::level::from_str(options.log_level);
  if (!options.log_file.empty()) log.to_file(options.log_file, level);
  if (options.foreground)
    log.to_standard_error(level);
  else
    log.to_system_log(level);
}

}  // namespace

int mount_store(const Options& given) {
  if (given.store.empty()) throw Failure(kUsage, "no store is given; see plainfs --help");
  if (given.mountpoint.empty()) throw Failure(kNoMountpoint, "no mountpoint is given; see plainfs --help");
  Options options = given;
  Daemon daemon(options.foreground);
  Session session(options);
  const std::string mountpoint = usable_mountpoint(options.mountpoint);
  MountSettings settings = settings_of(options, mountpoint, session.filesystem().store()->path);
  settings.answers = [&] { daemon.ready(); };
  FuseMount mount(session.filesystem(), std::move(settings));
  start_log(session.log(), options);
  const Supervisor supervisor(mount, session.filesystem(), session.log(), options.idle_seconds);
  mount.serve();
  return kSuccess;
}

}  // namespace plainfs
