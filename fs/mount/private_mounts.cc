#include "fs/mount/private_mounts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#endif

#include "fs/exit_code.h"

namespace plainfs {

#ifdef __linux__
namespace {

// "0" in a file of /proc/sys that exists.
bool is_off(const char* path) {
  std::ifstream file(path);
  std::string value;
  return file >> value && value == "0";
}

bool is_on(const char* path) {
  std::ifstream file(path);
  std::string value;
  return file >> value && value != "0";
}

// What an administrator would change; "" where nothing is seen that stands against it.
std::string setting_against() {
  if (is_off("/proc/sys/kernel/unprivileged_userns_clone")) return "kernel.unprivileged_userns_clone=1";
  if (is_off("/proc/sys/user/max_user_namespaces")) return "user.max_user_namespaces=10000";
  if (is_on("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"))
    return "kernel.apparmor_restrict_unprivileged_userns=0";
  return {};
}

Failure refused(const char* what) {
  const std::string why = std::strerror(errno), setting = setting_against();
  return Failure(
      kMountFailed,
      fmt::format("run: no mounts of its own are allowed here: {}: {}{}; without: plainfs STORE MOUNTPOINT; "
                  "COMMAND; plainfs umount MOUNTPOINT, or plainfs export",
                  what, why,
                  setting.empty() ? std::string() : fmt::format("; root allows them by sysctl {}", setting)));
}

void write_file(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw refused(path);
}

}  // namespace

void enter_private_mounts() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (errno != EPERM) throw refused("unshare");
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) throw refused("user namespace");
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", fmt::format("{} {} 1", user, user));
    write_file("/proc/self/gid_map", fmt::format("{} {} 1", group, group));
  }
  // What is mounted here stays here; what the system mounts later comes.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) throw refused("mount");
}
#else
void enter_private_mounts() {
  throw Failure(kMountFailed,
                "run: this system has no mounts of one's own; without: plainfs STORE MOUNTPOINT; COMMAND; "
                "umount MOUNTPOINT");
}
#endif

}  // namespace plainfs
