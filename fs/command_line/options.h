// The command line of a mount. One table in options.cc contains every option with its help. --help prints it,
// and a test compares the manual with it.
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
  std::vector<std::string> names;   // the arguments that are not options; joined stores are the first of them
  std::string store;                // the first of them
  std::vector<std::string> joined;  // the names of the joined stores as they were given
  std::string mountpoint;           // the second; empty: not given

  bool help = false;
  bool version = false;
  bool foreground = false;
  bool debug = false;

  uint64_t cache_bytes = uint64_t{256} << 20;
  unsigned threads = 0;    // 0: one per core
  std::string join;        // inner or outer; empty: a store is shown by itself
  std::string join_label;  // see JoinOptions::column
  std::string views;       // empty: the default ones
  bool lists_parts = false;
  std::string cells;   // the file that read.cells was read from; absolute
  std::string genome;  // the file that read.genome was read from; absolute
  std::string subdir;
  std::string index;  // the folder of sizes kept for the next session; empty: none
  bool indexes_ahead = false;
  std::string fuse_socket;    // passes the descriptor of the mount; empty: plainfs mounts itself
  uint64_t idle_seconds = 0;  // 0: never unmount
  std::string log_level = "warning";
  std::string log_file;
  bool reopens_on_change = false;
  Sandbox sandbox = Sandbox::kWherePossible;
  ReadOptions read;

  bool asks_to_write = false;  // -o rw, without a later ro
  bool may_be_absent = false;  // -o nofail

  std::optional<uid_t> uid;
  std::optional<gid_t> gid;
  mode_t umask = 0;
  // Seconds for which the kernel may cache replies. Nothing changes while it is mounted.
  double entry_timeout = 1e6;
  double attr_timeout = 1e6;
  double negative_timeout = 0;

  std::vector<std::string> mount_options;  // libfuse's and the kernel's: "allow_other", "fsname=x"
};

// Returns the location of the store, or of each joined one.
std::vector<std::string> store_locations(const Options& options);
// Returns whether the store, or one of the joined ones, is behind a URL.
bool reads_url(const Options& options);

// Returns the words of a command that name the store, quoted for a shell: "--join outer a.h5ad b.rds".
std::string store_arguments(const Options& options);

inline constexpr size_t kManyNames = SIZE_MAX;

// Throws Failure(kUsage), with the option in the message; also for more than max_names names. With --join,
// the names before the last names_after are stores and become one name; a list of stores ("@FILE") is one
// name anyway, and then any names may follow.
Options parse_options(std::span<const std::string> arguments, size_t max_names = 2, size_t names_after = 1);
// Returns the index of the first argument that is neither an option nor the value of one, or their number if
// there is no such argument before "--".
size_t first_name(std::span<const std::string> arguments);
// Parses the options of a command for several stores. Returns a copy of the options for each store, or one
// for all with --join; empty if no store is given. Throws like parse_options.
std::vector<Options> options_of_stores(std::span<const std::string> arguments);

// The arguments of a mount helper, `mount.plainfs STORE MOUNTPOINT [-sfnv] [-N namespace] [-o options] [-t
// type]`.
struct MountHelper {
  std::vector<std::string> arguments;  // in the form of parse_options
  bool is_fake = false;                // -f: do everything except mounting
};
MountHelper from_mount_helper(std::span<const std::string> arguments);

// Returns whether users other than the mounting one may see the files.
bool is_for_others(const Options& options);

std::string help_text();

// Returns the options that differ from their defaults, for info.json.
Json::Object describe(const Options& options);
// Returns the options on which it depends whether and how the store opens, as the words of a command that
// opens it again: "-o endpoint=URL ", or "".
std::string options_to_open(const Options& options);

}  // namespace plainfs
