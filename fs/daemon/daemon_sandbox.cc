#include "fs/daemon/daemon_sandbox.h"

#include <fmt/format.h>

#ifdef __linux__
#include <fcntl.h>
#include <link.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cerrno>
#include <cstdlib>
#include <set>
#include <string_view>
#include <system_error>

#include "formats/core/base/call_filter.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/base/host_path.h"
#include "formats/core/base/location.h"
#include "formats/core/base/own_program.h"
#include "formats/core/text/split.h"
#endif

namespace plainfs {

#ifdef __linux__
namespace {

namespace files = boost::filesystem;

// Constants of <linux/landlock.h>, which may be older than the kernel.
constexpr uint64_t kTruncate = 1ULL << 14, kDeviceControl = 1ULL << 15;
constexpr uint64_t kAbstractSockets = 1, kSignals = 2;  // of processes outside of the sandbox
constexpr uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE, kReadFolder = kRead | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kRun = kRead | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr uint64_t kWrite = kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kDeviceControl;
constexpr uint64_t kMakeFolders = LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR;
constexpr uint64_t kKeepFiles = kReadFolder | kWrite | LANDLOCK_ACCESS_FS_MAKE_REG |
                                LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REFER;

// Returns the rights that a version of the kernel's interface knows.
uint64_t known_rights(long version) {
  uint64_t rights = LANDLOCK_ACCESS_FS_REFER - 1;  // the first thirteen
  if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) rights |= kTruncate;
  if (version >= 5) rights |= kDeviceControl;
  return rights;
}

constexpr long kFirstWithScopes = 6;
constexpr uint64_t kOfFiles = kRun | kWrite;  // the others are for folders

class Rules {
 public:
  // Returns why Landlock is not available, or empty.
  std::string open() {
    const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version <= 0) return "Landlock is not available: " + std::generic_category().message(errno);
    known_ = known_rights(version);
    const struct {
      uint64_t files, network, scoped;
    } attributes{known_, 0, version >= kFirstWithScopes ? kAbstractSockets | kSignals : 0};
    const size_t size = version >= kFirstWithScopes ? sizeof attributes : sizeof attributes.files;
    ruleset_ = Descriptor(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
    return ruleset_.number() >= 0 ? "" : "Landlock: " + std::generic_category().message(errno);
  }

  // A missing path needs no right.
  void allow(const std::string& path, uint64_t rights) const {
    const Descriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status {};
    if (path.empty() || file.number() < 0 || ::fstat(file.number(), &status) != 0) return;
    if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = rights & known_;
    rule.parent_fd = file.number();
    ::syscall(SYS_landlock_add_rule, ruleset_.number(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }

  std::string enforce() const {
    if (::syscall(SYS_landlock_restrict_self, ruleset_.number(), 0) == 0) return {};
    return "Landlock: " + std::generic_category().message(errno);
  }

 private:
  uint64_t known_ = 0;
  Descriptor ruleset_;
};

// Allows the folder that contains the path, and the folder that contains its target if it is a link: a store
// that replaces this one appears there. For a path in the root directory, allows only the path itself. For a
// missing path, allows the nearest existing folder, so that the message can name the missing part.
void allow_around(const Rules& rules, const std::string& path, uint64_t rights) {
  boost::system::error_code error;
  const files::path given = files::absolute(path).lexically_normal(), real = files::canonical(given, error);
  for (const files::path& each : {given, error ? given : real}) {
    files::path whole = each;
    while (whole.has_parent_path() && (whole.filename_is_dot() || !files::exists(whole, error)))
      whole = whole.parent_path();
    const files::path folder = whole.parent_path();
    rules.allow(folder.empty() || folder == "/" ? whole.string() : folder.string(), rights);
  }
}

// Allows the program and its libraries, wherever they are: the libhdf5 process is this program started again.
void allow_program(const Rules& rules) {
  for (const std::string& path : {std::string("/proc/self/exe"), own_program().path}) rules.allow(path, kRun);
  std::set<std::string> libraries;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* found) {
        const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
        if (path.starts_with('/')) static_cast<std::set<std::string>*>(found)->emplace(path);
        return 0;
      },
      &libraries);
  for (const std::string& library : libraries) {
    rules.allow(library, kRun);  // one of them is the loader, which the kernel starts
    rules.allow(files::path(library).parent_path().string(), kRead);
  }
  for (const char* path : {"/usr", "/lib", "/lib32", "/lib64", "/proc", "/sys"})
    rules.allow(path, kReadFolder);
  for (const char* path : {"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime"})
    rules.allow(path, kRead);
  for (const char* path : {"/dev/urandom", "/dev/random"}) rules.allow(path, kRead);
  rules.allow("/dev/null", kWrite);
}

void allow_each_of(const Rules& rules, const char* variable) {
  const char* const list = std::getenv(variable);
  if (!list) return;
  for (std::string_view left = list; !left.empty();)
    rules.allow(std::string(take_part(left, ':')), kReadFolder);
}

// Allows the files for connections to servers: names, certificates, and keys.
void allow_network(const Rules& rules) {
  for (const char* path :
       {"/etc", "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager", "/var/lib/ca-certificates"})
    rules.allow(path, kReadFolder);
  for (const char* variable : {"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE"})
    allow_each_of(rules, variable);
  for (const char* variable :
       {"AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE"}) {
    // The folder: tokens are renewed by replacing the file.
    if (const char* const path = std::getenv(variable))
      rules.allow(files::path(path).parent_path().string(), kReadFolder);
  }
  for (const char* name : {"/.aws", "/.netrc"}) {
    if (const char* const home = std::getenv("HOME")) rules.allow(std::string(home) + name, kReadFolder);
  }
}

// Creates the folder for own files before the rule that names it.
void allow_own_folder(const Rules& rules, const std::string& folder) {
  if (folder.empty()) return;
  make_own_folder(folder);
  rules.allow(folder, kKeepFiles);
}

// Opens the log file in the same mode as later. That later call reports why it fails.
void allow_log(const Rules& rules, const std::string& file) {
  if (file.empty()) return;
  const Descriptor log(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  rules.allow(file, kWrite);
}

void allow_store(const Rules& rules, const Options& options) {
  if (reads_url(options)) {
    allow_network(rules);
    allow_own_folder(rules, options.read.remote.cache_folder);
    if (const std::string& file = options.read.remote.header_file; !file.empty())
      rules.allow(files::path(file).parent_path().string(), kReadFolder);  // editors replace the file
  }
  bool is_first = true;
  for (const std::string& store : store_locations(options)) {
    if (is_url(store)) continue;
    allow_around(rules, store, kReadFolder);
    if (std::exchange(is_first, false)) rules.allow(store, kReadFolder);  // wherever it is moved
  }
}

void allow_mountpoint(const Rules& rules, const Options& options) {
  if (!options.mountpoint.empty()) return rules.allow(options.mountpoint, kReadFolder);
  // A mountpoint is created beside the store or in the current directory.
  if (!is_url(options.store)) allow_around(rules, options.store, kMakeFolders | kReadFolder);
  rules.allow(".", kMakeFolders | kReadFolder);
}

// stores: the same options for each. Requires: at least one.
std::string confine_files(std::span<const Options> stores, bool mounts) {
  Rules rules;
  if (std::string why_not = rules.open(); !why_not.empty()) return why_not;
  allow_program(rules);
  for (const Options& store : stores) allow_store(rules, store);
  const Options& options = stores.front();
  if (options.read.follow_outside) rules.allow("/", kReadFolder);
  if (options.read.hdf5_plugins) allow_each_of(rules, "HDF5_PLUGIN_PATH");
  allow_own_folder(rules, options.index);
  allow_log(rules, options.log_file);
  if (mounts) allow_mountpoint(rules, options);
  return rules.enforce();
}

std::string enter(std::span<const Options> stores, bool mounts) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return "no new privileges: " + std::generic_category().message(errno);
  const bool with_network =
      std::any_of(stores.begin(), stores.end(), [](const Options& store) { return reads_url(store); });
  const std::string files = confine_files(stores, mounts), calls = filter_daemon_calls(with_network, !mounts);
  return files.empty() || calls.empty() ? files + calls : files + "; " + calls;
}

}  // namespace

std::string enter_sandbox(const Options& options) {
  return enter({&options, 1}, true);
}

std::string enter_serving_sandbox(std::span<const Options> stores) {
  return enter(stores, false);
}
#else
std::string enter_sandbox(const Options&) {
  return "no known sandbox on this system";
}

std::string enter_serving_sandbox(std::span<const Options>) {
  return "no known sandbox on this system";
}
#endif

}  // namespace plainfs
