#include "fs/mount/fuse_refused.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace plainfs {

#ifdef __linux__
namespace {

constexpr char kHelper[] = "fusermount3";
constexpr uint64_t kSysAdmin = uint64_t{1} << 21;  // CAP_SYS_ADMIN of capabilities(7)
constexpr char kContainer[] =
    "docker and podman give it with --cap-add SYS_ADMIN --device /dev/fuse "
    "--security-opt apparmor=unconfined";

// The value of "NAME:" in /proc/self/status; "" where there is none.
std::string own_status(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(name + ":")) continue;
    const size_t start = line.find_first_not_of(" \t", name.size() + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

bool lacks_sys_admin(const std::string& set) {
  const std::string mask = own_status(set);
  return !mask.empty() && (std::strtoull(mask.c_str(), nullptr, 16) & kSysAdmin) == 0;
}

// Where libfuse finds its helper; "" where it does not.
std::string helper_path() {
  std::string places = "/usr/bin:/bin:/usr/local/bin";
  if (const char* path = std::getenv("PATH")) places.append(":").append(path);
  for (size_t start = 0; start <= places.size();) {
    const size_t end = std::min(places.find(':', start), places.size());
    const std::string file = places.substr(start, end - start) + "/" + kHelper;
    if (::access(file.c_str(), X_OK) == 0) return file;
    start = end + 1;
  }
  return {};
}

bool runs_as_root(const std::string& program) {
  struct stat status {};
  struct statvfs place {};
  return ::stat(program.c_str(), &status) == 0 && status.st_uid == 0 && (status.st_mode & S_ISUID) != 0 &&
         ::statvfs(program.c_str(), &place) == 0 && (place.f_flag & ST_NOSUID) == 0;
}

// As fusermount3 reads its configuration.
bool users_may_allow_others() {
  std::ifstream configuration("/etc/fuse.conf");
  for (std::string line; std::getline(configuration, line);) {
    const size_t start = line.find_first_not_of(" \t");
    const size_t end = line.find_last_not_of(" \t\r");
    if (start != std::string::npos && line.substr(start, end + 1 - start) == "user_allow_other") return true;
  }
  return false;
}

}  // namespace

std::string why_fuse_is_refused(bool for_others) {
  const bool is_root = ::geteuid() == 0;
  if (lacks_sys_admin("CapBnd") || (is_root && lacks_sys_admin("CapEff")))
    return std::string("the capability SYS_ADMIN is not given here; ") + kContainer;
  if (is_root) return {};
  const std::string helper = helper_path();
  if (helper.empty()) return "fusermount3 is not installed; it is in the package fuse3";
  if (!runs_as_root(helper))
    return helper + " may not act as root; its package, fuse3, installs it setuid root";
  if (own_status("NoNewPrivs") == "1")
    return "fusermount3 may not act as root, because this process runs with no_new_privs (a service's "
           "NoNewPrivileges, a container's no-new-privileges, Apptainer)";
  if (for_others && !users_may_allow_others())
    return "-o allow_other is for root alone as long as /etc/fuse.conf does not say user_allow_other";
  return {};
}
#else
std::string why_fuse_is_refused(bool) {
  return {};
}
#endif

}  // namespace plainfs
