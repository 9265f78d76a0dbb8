// The command line of the mount. One table in options.cc holds every option with its help; --help prints it
// and the manual is tested against it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/text/json.h"

namespace plainfs {

// Whether the daemon is confined (fs/daemon/daemon_sandbox.h).
enum class Sandbox { kWherePossible, kRequired, kNone };

struct Options {
  std::vector<std::string> names;  // the arguments that are no options
  std::string store;               // the first of them
  std::string mountpoint;          // the second; empty: not given

  bool help = false;
  bool version = false;
  bool foreground = false;
  bool debug = false;

  uint64_t cache_bytes = uint64_t{256} << 20;
  unsigned threads = 0;  // 0: one a core
  std::string views;     // empty: the default ones
  bool lists_parts = false;
  std::string cells;   // the file that read.cells was read from; absolute
  std::string genome;  // the same of read.genome
  std::string subdir;
  std::string index;  // the folder of sizes that are kept for the next session; empty: none
  bool indexes_ahead = false;
  uint64_t idle_seconds = 0;  // 0: never unmount
  std::string log_level = "warning";
  std::string log_file;
  bool reopens_on_change = false;
  bool hdf5_inside = false;  // libhdf5 in plainfs itself, not in a process of its own
  Sandbox sandbox = Sandbox::kWherePossible;
  ReadOptions read;

  bool asks_to_write = false;  // -o rw, and no ro after it
  bool may_be_absent = false;  // -o nofail

  std::optional<uid_t> uid;
  std::optional<gid_t> gid;
  mode_t umask = 0;
  // Seconds the kernel may keep what it was told. Nothing changes while it is mounted.
  double entry_timeout = 1e6;
  double attr_timeout = 1e6;
  double negative_timeout = 0;

  std::vector<std::string> mount_options;  // libfuse's and the kernel's: "allow_other", "fsname=x"
};

inline constexpr size_t kManyNames = SIZE_MAX;

// Throws Failure(kUsage), with the option in the message; also where there are more than most_names names.
Options parse_options(std::span<const std::string> arguments, size_t most_names = 2);
// Where the first argument stands that is neither an option nor the value of one; their number where there is
// none before "--".
size_t first_name(std::span<const std::string> arguments);
// Of a command for several stores: the options of each, the same but for what its name says. Empty: no store
// is given. Throws as parse_options does.
std::vector<Options> options_of_stores(std::span<const std::string> arguments);

// The arguments of a mount helper, `mount.plainfs STORE MOUNTPOINT [-sfnv] [-N namespace] [-o options] [-t
// type]`.
struct MountHelper {
  std::vector<std::string> arguments;  // as parse_options takes them
  bool is_fake = false;                // -f: all but the mount
};
MountHelper from_mount_helper(std::span<const std::string> arguments);

// Whether users other than the one who mounts may see the files.
bool is_for_others(const Options& options);

std::string help_text();

// Those that are not as by default, for info.json.
Json::Object describe(const Options& options);

}  // namespace plainfs
