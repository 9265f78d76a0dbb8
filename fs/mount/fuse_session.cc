#include "fs/mount/fuse_session.h"

#include <fmt/format.h>
#include <fuse_lowlevel.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "formats/core/text/split.h"
#include "fs/command_line/exit_code.h"

namespace plainfs {

namespace {

// libfuse's last error message, for the single line that the user sees.
std::string& last_complaint() {
  static thread_local std::string line;
  return line;
}

void keep_complaint(fuse_log_level, const char* format, va_list arguments) {
  char line[512];
  std::vsnprintf(line, sizeof line, format, arguments);
  std::string text = line;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.rfind("fuse: ", 0) == 0) text.erase(0, 6);
  last_complaint() = text;
}

// why: used if libfuse has reported nothing.
Failure failure(ExitCode code, const std::string& mountpoint, const std::string& why,
                const std::string& and_more = {}) {
  const std::string reason = last_complaint().empty() ? why : last_complaint();
  return Failure(code, fmt::format("{}: {}{}", mountpoint, reason, and_more));
}

}  // namespace

fuse_session* new_fuse_session(const std::string& mountpoint, const std::vector<std::string>& options,
                               bool debug, const fuse_lowlevel_ops& operations, void* user) {
  std::vector<std::string> texts{"plainfs"};
  for (const std::string& option : options) {
    std::string escaped;
    for (const char c : option) {
      if (c == ',' || c == '\\') escaped += '\\';
      escaped += c;
    }
    texts.push_back("-o" + escaped);
  }
  if (debug) texts.emplace_back("-odebug");
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  fuse_args arguments = FUSE_ARGS_INIT(static_cast<int>(pointers.size()), pointers.data());
  if (!debug) fuse_set_log_func(keep_complaint);
  last_complaint().clear();
  fuse_session* const session = fuse_session_new(&arguments, &operations, sizeof operations, user);
  fuse_opt_free_args(&arguments);
  if (!session) throw failure(kNoSession, mountpoint, "cannot set up FUSE");
  return session;
}

void mount_fuse_session(fuse_session* session, const std::string& mountpoint,
                        const std::vector<std::string>& options) {
  if (fuse_session_mount(session, mountpoint.c_str()) != 0) {
    const std::string reason =
        why_fuse_is_refused(std::ranges::find(options, "allow_other") != options.end());
    throw failure(kMountFailed, mountpoint, "cannot mount",
                  fmt::format("{}{}; {}", reason.empty() ? "" : ": ", reason, kWithoutFuse));
  }
  fuse_set_log_func(nullptr);
}

#ifdef __linux__
namespace {

// The programs that mount for users without privileges, as libfuse looks for them; the second is of fuse 2
// (fs/daemon/static_program.cc).
#ifdef PLAINFS_STATIC
constexpr const char* kHelpers[] = {"fusermount3", "fusermount"};
#else
constexpr const char* kHelpers[] = {"fusermount3"};
#endif
constexpr uint64_t kSysAdmin = uint64_t{1} << 21;  // CAP_SYS_ADMIN of capabilities(7)
constexpr char kContainer[] =
    "docker and podman grant it with --cap-add SYS_ADMIN --device /dev/fuse "
    "--security-opt apparmor=unconfined";

// Returns the value of "NAME:" in /proc/self/status; "" if it is absent.
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

// Returns the path where libfuse finds a helper; "" if it is missing.
std::string path_of_helper(const std::string& name) {
  std::string places = "/usr/bin:/bin:/usr/local/bin";
  if (const char* path = std::getenv("PATH")) places.append(":").append(path);
  for (const std::string_view place : split(places, ':')) {
    const std::string file = std::string(place) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

std::string helper_path() {
  for (const char* const name : kHelpers)
    if (std::string path = path_of_helper(name); !path.empty()) return path;
  return {};
}

bool runs_as_root(const std::string& program) {
  struct stat status {};
  struct statvfs place {};
  return ::stat(program.c_str(), &status) == 0 && status.st_uid == 0 && (status.st_mode & S_ISUID) != 0 &&
         ::statvfs(program.c_str(), &place) == 0 && (place.f_flag & ST_NOSUID) == 0;
}

// Reads the configuration like fusermount3.
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
    return std::string("the capability SYS_ADMIN is missing; ") + kContainer;
  if (is_root) return {};
  const std::string helper = helper_path();
  if (helper.empty()) return "fusermount3 is not installed; it is in the package fuse3";
  if (!runs_as_root(helper))
    return fmt::format("{} does not run as root; the package {} installs it setuid root", helper,
                       helper.ends_with('3') ? "fuse3" : "fuse");
  if (own_status("NoNewPrivs") == "1")
    return helper +
           " cannot run as root, because this process has no_new_privs (a service's "
           "NoNewPrivileges, a container's no-new-privileges, Apptainer)";
  if (for_others && !users_may_allow_others())
    return "-o allow_other is only for root, unless /etc/fuse.conf has the line user_allow_other";
  return {};
}
#else
std::string why_fuse_is_refused(bool) {
  return {};
}
#endif

}  // namespace plainfs
