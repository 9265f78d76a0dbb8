#include "fs/command_line/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/filesystem.hpp>
#include <cstdlib>
#include <string_view>

#include "formats/core/base/location.h"
#include "formats/core/remote/object_origin.h"
#include "fs/command_line/cells_file.h"
#include "fs/command_line/command_help.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/genome_file.h"
#include "fs/command_line/joined_stores.h"
#include "fs/command_line/option_values.h"
#include "fs/command_line/shell_word.h"
#include "fs/index/index_folder.h"
#include "fs/views/view.h"

namespace plainfs {
namespace {

struct Row {
  char letter;             // 0: none
  std::string_view name;   // --name and -o name
  std::string_view value;  // its name in the help; empty: none
  std::string_view help;
  void (*set)(Options&, std::string_view value);
  // Returns the value for info.json; nullopt for the default. Null: never shown.
  std::optional<Json> (*show)(const Options&) = nullptr;
  bool is_for_opening = false;  // see options_to_open()
};

using Shown = std::optional<Json>;

Shown if_set(bool is_set) {
  return is_set ? Shown(true) : std::nullopt;
}
Shown if_not(std::string_view otherwise, const std::string& value) {
  return value == otherwise ? std::nullopt : Shown(value);
}
Shown if_not(uint64_t otherwise, uint64_t value) {
  return value == otherwise ? std::nullopt : Shown(Json::of(value));
}

// Parses "DIR" or "DIR:20g". A folder with a name of the latter form needs a slash at its end.
void set_remote_cache(Options& options, std::string_view value) {
  const size_t colon = value.rfind(':');
  const bool has_size = colon != std::string_view::npos && colon > 0 && colon + 1 < value.size() &&
                        value.find('/', colon) == std::string_view::npos;
  if (has_size) options.read.remote.cache_bytes = byte_size("remote_cache", value.substr(colon + 1));
  options.read.remote.cache_folder = own_folder(has_size ? value.substr(0, colon) : value);
}

Shown shown_index(const Options& options) {
  if (options.index == IndexFolder::default_path()) return std::nullopt;
  return Shown(options.index.empty() ? "none" : options.index);
}

Shown shown_remote_cache(const Options& options) {
  const RemoteOptions& remote = options.read.remote;
  if (remote.cache_bytes == RemoteOptions().cache_bytes) return if_not("", remote.cache_folder);
  return Shown(fmt::format("{}:{}", remote.cache_folder, remote.cache_bytes));
}

constexpr Row kOwn[] = {
    {'h', "help", "", "print this help", [](Options& o, std::string_view) { o.help = true; }},
    {'V', "version", "", "print the version", [](Options& o, std::string_view) { o.version = true; }},
    {'f', "foreground", "", "stay in the foreground and log to standard error",
     [](Options& o, std::string_view) { o.foreground = true; }},
    {'d', "debug", "", "like -f, and print every request",
     [](Options& o, std::string_view) { o.debug = o.foreground = true; }},
    {0, "cache_size", "BYTES", "memory for decoded data, such as 512m (256m)",
     [](Options& o, std::string_view v) { o.cache_bytes = byte_size("cache_size", v); },
     [](const Options& o) { return Shown(Json::of(o.cache_bytes)); }},
    {0, "threads", "N", "decoding threads (one for each core)",
     [](Options& o, std::string_view v) { o.threads = static_cast<unsigned>(integer("threads", v, 1024)); },
     [](const Options& o) { return if_not(0, o.threads); }},
    {0, "join", "HOW",
     "show several stores of cells as one, with the genes of all (`outer`) or those that each has (`inner`); "
     "@FILE is a list of stores",
     [](Options& o, std::string_view v) {
       o.join = one_of("join", v, {"inner", "outer"});
     },
     [](const Options& o) { return if_not("", o.join); }},
    {0, "label", "NAME", "with --join: the column of obs that has each cell's store (none)",
     [](Options& o, std::string_view v) { o.join_label = v; },
     [](const Options& o) { return if_not("", o.join_label); }},
    {0, "views", "LIST", "what to show and list, separated by + or : (all but bin), all, listed or of",
     [](Options& o, std::string_view v) { o.views = v; },
     [](const Options& o) { return if_not("", o.views); }},
    {0, "parts", "", "also list genes/, cells/, by/ and pseudobulk/, which are found by name",
     [](Options& o, std::string_view) { o.lists_parts = true; },
     [](const Options& o) { return if_set(o.lists_parts); }},
    {0, "cells", "FILE", "a .csv with cell names in the first column; by/ divides fragments by the others",
     [](Options& o, std::string_view v) {
       o.cells = boost::filesystem::absolute(std::string(v)).string();
       o.read.cells = read_cells_file(o.cells);
     },
     [](const Options& o) { return if_not("", o.cells); }},
    {0, "genome", "FILE", "chromosome lengths for coverage.bw: a name and a length on each line",
     [](Options& o, std::string_view v) {
       o.genome = boost::filesystem::absolute(std::string(v)).string();
       o.read.genome = read_genome_file(o.genome);
     },
     [](const Options& o) { return if_not("", o.genome); }},
    {0, "subdir", "PATH", "mount only this directory of the store",
     [](Options& o, std::string_view v) { o.subdir = v; },
     [](const Options& o) { return if_not("", o.subdir); }},
    {0, "index", "DIR", "where to keep sizes for the next mount, or `none` (~/.cache/plainfs)",
     [](Options& o, std::string_view v) { o.index = own_folder(v); }, shown_index},
    {0, "index_ahead", "", "compute all sizes in the background",
     [](Options& o, std::string_view) { o.indexes_ahead = true; },
     [](const Options& o) { return if_set(o.indexes_ahead); }},
    {0, "timeout", "SECONDS", "unmount after this time without a request (never)",
     [](Options& o, std::string_view v) { o.idle_seconds = integer("timeout", v, uint64_t{1} << 40); },
     [](const Options& o) { return if_not(0, o.idle_seconds); }},
    {0, "fuse_socket", "PATH", "receive the /dev/fuse of a mount over this Unix socket",
     [](Options& o, std::string_view v) { o.fuse_socket = v; }},
    {0, "log_level", "LEVEL", "error, warning, info or debug (warning)",
     [](Options& o, std::string_view v) {
       o.log_level = one_of("log_level", v, {"error", "warning", "info", "debug"});
     },
     [](const Options& o) { return if_not("warning", o.log_level); }},
    {0, "log_file", "FILE", "also log to this file", [](Options& o, std::string_view v) { o.log_file = v; },
     [](const Options& o) { return if_not("", o.log_file); }},
    {0, "on_change", "WHAT", "if the store changes: `error`, or `reopen` it (error)",
     [](Options& o, std::string_view v) {
       o.reopens_on_change = one_of("on_change", v, {"error", "reopen"}) == "reopen";
     },
     [](const Options& o) { return if_not("", o.reopens_on_change ? "reopen" : ""); }},
    {0, "missing", "WHAT",
     "an absent Zarr chunk: `fill` or `error` (fill); `403`: fill, also if the server answers 403",
     [](Options& o, std::string_view v) {
       const std::string what = one_of("missing", v, {"fill", "error", "403"});
       o.read.absent_chunk_is_error = what == "error";
       o.read.remote.forbidden_is_absent = what == "403";
     },
     [](const Options& o) {
       return if_not("", o.read.absent_chunk_is_error        ? "error"
                         : o.read.remote.forbidden_is_absent ? "403"
                                                             : "");
     },
     true},
    {0, "header", "", "a header in the .csv of every array, not only of tables and labelled arrays",
     [](Options& o, std::string_view) { o.read.array_header = true; },
     [](const Options& o) { return if_set(o.read.array_header); }},
    {0, "rowname", "NAME", "header of the column of row names (empty)",
     [](Options& o, std::string_view v) { o.read.row_name_header = v; },
     [](const Options& o) { return if_not("", o.read.row_name_header); }},
    {0, "ragged", "WHAT", "a list in a cell of a table's .csv: `json` or its `count` (json)",
     [](Options& o, std::string_view v) {
       o.read.ragged_as_count = one_of("ragged", v, {"json", "count"}) == "count";
     },
     [](const Options& o) { return if_not("", o.read.ragged_as_count ? "count" : ""); }},
    {0, "orientation", "WHAT",
     "the rows of MatrixMarket and of a table of counts: `genes`, `cells`, or what the names suggest "
     "(`auto`)",
     [](Options& o, std::string_view v) {
       const std::string what = one_of("orientation", v, {"auto", "genes", "cells"});
       o.read.genes_in_rows = what == "auto" ? std::nullopt : std::optional(what == "genes");
     },
     [](const Options& o) {
       const std::optional<bool> in_rows = o.read.genes_in_rows;
       return if_not("auto", !in_rows ? "auto" : *in_rows ? "genes" : "cells");
     },
     true},
    {0, "hdf5_plugins", "", "let libhdf5 load its filter plugins",
     [](Options& o, std::string_view) { o.read.hdf5_plugins = true; },
     [](const Options& o) { return if_set(o.read.hdf5_plugins); }, true},
    {0, "sandbox", "WHAT",
     "confine the daemon: `auto`, as far as the system can; `required`, completely or fail; or `none` "
     "(auto)",
     [](Options& o, std::string_view v) {
       const std::string what = one_of("sandbox", v, {"auto", "required", "none"});
       o.sandbox = what == "none"   ? Sandbox::kNone
                   : what == "auto" ? Sandbox::kWherePossible
                                    : Sandbox::kRequired;
     },
     [](const Options& o) {
       return if_not("auto", o.sandbox == Sandbox::kNone       ? "none"
                             : o.sandbox == Sandbox::kRequired ? "required"
                                                               : "auto");
     }},
    {0, "no_sign", "", "send requests to S3, Google or Azure without a key, for public data",
     [](Options& o, std::string_view) { o.read.remote.no_sign = true; },
     [](const Options& o) { return if_set(o.read.remote.no_sign); }, true},
    {0, "endpoint", "URL", "address of an S3 service other than AWS, or of an emulator",
     [](Options& o, std::string_view v) { o.read.remote.endpoint = v; },
     [](const Options& o) { return if_not("", o.read.remote.endpoint); }, true},
    {0, "region", "NAME", "region of the bucket (S3: us-east-1, or from the AWS configuration; Google: auto)",
     [](Options& o, std::string_view v) { o.read.remote.region = v; },
     [](const Options& o) { return if_not("", o.read.remote.region); }, true},
    {0, "header_file", "FILE",
     "header fields for requests over https, such as tokens: lines `HOST[:PORT] NAME: VALUE`",
     [](Options& o, std::string_view v) {
       o.read.remote.header_file = boost::filesystem::absolute(std::string(v)).string();
     },
     [](const Options& o) { return if_not("", o.read.remote.header_file); }, true},
    {0, "remote_cache", "DIR[:BYTES]",
     "keep what was read from a remote store there, for later mounts (none; 10g)",
     [](Options& o, std::string_view v) { set_remote_cache(o, v); }, shown_remote_cache},
    {0, "remote_timeout", "SECONDS", "how long to retry a server that does not reply (120)",
     [](Options& o, std::string_view v) {
       o.read.remote.patience_seconds = integer("remote_timeout", v, 86400);
     },
     [](const Options& o) {
       return if_not(RemoteOptions().patience_seconds, o.read.remote.patience_seconds);
     }},
    {0, "follow_outside", "", "read files outside the store's folder that it refers to",
     [](Options& o, std::string_view) { o.read.follow_outside = true; },
     [](const Options& o) { return if_set(o.read.follow_outside); }, true},
};

// FUSE's options for the files of this mount.
constexpr Row kFuse[] = {
    {0, "uid", "USER", "owner of the files, a number or a name (the mounting user)",
     [](Options& o, std::string_view v) { o.uid = user(v); }},
    {0, "gid", "GROUP", "group of the files (the mounting user's)",
     [](Options& o, std::string_view v) { o.gid = group(v); }},
    {0, "umask", "M", "octal mask of the modes 0644 and 0755 (0)",
     [](Options& o, std::string_view v) { o.umask = mode("umask", v); }},
    {0, "entry_timeout", "SECONDS", "how long the kernel caches names (1000000)",
     [](Options& o, std::string_view v) { o.entry_timeout = seconds("entry_timeout", v); }},
    {0, "attr_timeout", "SECONDS", "how long the kernel caches attributes (1000000)",
     [](Options& o, std::string_view v) { o.attr_timeout = seconds("attr_timeout", v); }},
    {0, "negative_timeout", "SECONDS", "how long the kernel caches that a name does not exist (0)",
     [](Options& o, std::string_view v) { o.negative_timeout = seconds("negative_timeout", v); }},
};

struct Passed {
  std::string_view name;
  bool has_value;
  std::string_view help;
};

// Options passed to libfuse unchanged. Without help: the kernel's mount flags.
constexpr Passed kPassed[] = {
    {"allow_other", false, "let other users see the files"},
    {"allow_root", false, "let root see the files"},
    {"default_permissions", false, "let the kernel check permissions"},
    {"fsname", true, "source in the mount table (the store's path)"},
    {"subtype", true, "type in the mount table (plainfs)"},
#ifndef __APPLE__
    {"auto_unmount", false, "unmount however the program ends"},
#endif
    {"context", true, ""},
    {"fscontext", true, ""},
    {"defcontext", true, ""},
    {"rootcontext", true, ""},
    {"dev", false, ""},
    {"nodev", false, ""},
    {"suid", false, ""},
    {"nosuid", false, ""},
    {"exec", false, ""},
    {"noexec", false, ""},
    {"noatime", false, ""},
    {"nodiratime", false, ""},
#ifdef __APPLE__
    {"volname", true, "name that Finder shows (the store's)"},
    {"daemon_timeout", true, "seconds after which macFUSE considers a request stuck (600)"},
    {"nobrowse", false, "hide from Finder"},
    {"local", false, "mount as a disk, not as a server; Spotlight then reads all of it"},
    {"backend", true, "macFUSE backend; fskit requires no kernel extension"},
    {"allow_recursion", false, ""},
    {"defer_permissions", false, ""},
    {"noappledouble", false, ""},
    {"noapplexattr", false, ""},
    {"quiet", false, ""},
#endif
};

// Options of mount(8), its table and systemd. They are accepted without effect, as a mount is always
// read-only.
constexpr std::string_view kIgnored[] = {
    "ro",         "rw",       "_netdev",    "nofail",       "noauto",      "auto",          "user",
    "users",      "nouser",   "owner",      "group",        "async",       "sync",          "dirsync",
    "atime",      "diratime", "relatime",   "norelatime",   "strictatime", "nostrictatime", "lazytime",
    "nolazytime", "defaults", "silent",     "loud",         "iversion",    "noiversion",    "mand",
    "nomand",     "nonempty", "big_writes", "kernel_cache", "auto_cache",
};

const Row* find_row(std::string_view name) {
  for (const auto rows : {std::span<const Row>(kOwn), std::span<const Row>(kFuse)}) {
    for (const Row& row : rows) {
      if (row.name == name) return &row;
    }
  }
  return nullptr;
}

bool is_ignored(std::string_view name) {
  return name.starts_with("x-") || name.starts_with("X-") || name == "comment" ||
         std::find(std::begin(kIgnored), std::end(kIgnored), name) != std::end(kIgnored);
}

// Sets one "name" or "name=value" of -o, or a long option.
void set_option(Options& options, std::string_view option) {
  const size_t equals = option.find('=');
  const bool has_value = equals != std::string_view::npos;
  const std::string_view name = option.substr(0, equals);
  const std::string_view value = has_value ? option.substr(equals + 1) : std::string_view();
  bool wants_value = false;
  if (const Row* row = find_row(name)) {
    wants_value = !row->value.empty();
    if (has_value == wants_value && has_value == !value.empty()) return row->set(options, value);
  } else if (is_ignored(name)) {
    if (name == "rw" || name == "ro") options.asks_to_write = name == "rw";
    if (name == "nofail") options.may_be_absent = true;
    return;
  } else {
    const auto passed =
        std::find_if(std::begin(kPassed), std::end(kPassed), [&](const Passed& p) { return p.name == name; });
    if (name == "remount")
      throw Failure(
          kUsage,
          "remount: the options of a mount cannot change; unmount it and mount it again, or, for a store "
          "that was rewritten: plainfs reload MOUNTPOINT");
    if (passed == std::end(kPassed)) throw Failure(kUsage, fmt::format("unknown option: {}", name));
    wants_value = passed->has_value;
    if (has_value == wants_value) return options.mount_options.emplace_back(option), void();
  }
  throw Failure(kUsage,
                fmt::format("option {} {}", name, wants_value ? "requires a value" : "takes no value"));
}

bool is_view(std::string_view name) {
  return std::any_of(views().begin(), views().end(), [&](const View& view) { return view.option == name; });
}

// Splits "a,b=c\,d" at commas without a backslash before them. "views=csv,npy" is one option.
void set_list(Options& options, std::string_view list) {
  std::string option;
  bool names_views = false;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '\\' && i + 1 < list.size()) {
      option += list[++i];
    } else if (i < list.size() && list[i] != ',') {
      option += list[i];
    } else {
      if (names_views && is_view(option)) {
        options.views += "," + option;
      } else if (!option.empty()) {
        names_views = option.starts_with("views=");
        set_option(options, option);
      }
      option.clear();
    }
  }
}

class Parser {
 public:
  Parser(std::span<const std::string> arguments, size_t max_names, size_t names_after)
      : arguments_(arguments), max_names_(max_names), names_after_(names_after) {}

  Options parse() {
    const char* const index = std::getenv("PLAINFS_INDEX");
    options_.index = index && *index ? own_folder(index) : IndexFolder::default_path();
    bool only_names = false;
    for (next_ = 0; next_ < arguments_.size();) {
      const std::string_view argument = arguments_[next_++];
      if (only_names || argument.size() < 2 || argument[0] != '-')
        add_name(argument);
      else if (argument == "--")
        only_names = true;
      else if (argument[1] == '-')
        set_long(argument.substr(2));
      else
        set_letters(argument.substr(1));
    }
    if (!options_.join.empty()) join();
    if (options_.join.empty() && !options_.join_label.empty())
      throw Failure(kUsage, "option label requires --join");
    if (const std::vector<std::string>& names = options_.names; names.size() > max_names_)
      throw Failure(kUsage, fmt::format("one argument too many: {}", names[max_names_]));
    return std::move(options_);
  }

 private:
  void add_name(std::string_view name) {
    std::vector<std::string>& names = options_.names;
    if (name.empty())
      throw Failure(kUsage, names.empty() ? "the name of the store is empty" : "an argument is empty");
    names.emplace_back(name);
    static constexpr std::string_view kFileUrl = "file://";
    if (names.size() == 1 && name.starts_with(kFileUrl)) names[0] = name.substr(kFileUrl.size());
    if (names.size() == 1 && is_url(names[0])) split_url(names[0]);
    if (names.size() == 1) options_.store = names[0];
    if (names.size() == 2) options_.mountpoint = name;
  }

  // Makes one name of those of the joined stores: the location of the first.
  void join() {
    std::vector<std::string>& names = options_.names;
    if (names.empty()) return;
    const bool is_list = is_list_of_stores(names.front());
    if (!is_list && names.size() <= names_after_) throw Failure(kUsage, "join: expected stores");
    const size_t stores = is_list ? 1 : names.size() - names_after_;
    if (!options_.read.remote.query.empty())
      throw Failure(kUnsupported, "join: a URL with a query cannot be joined");  // it may be a key
    options_.read.join = joined_stores(std::span(names).first(stores), options_.join, options_.join_label);
    options_.store = options_.read.join->stores.front().location;
    options_.joined.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(stores));
    names.erase(names.begin() + 1, names.begin() + static_cast<std::ptrdiff_t>(stores));
    names.front() = options_.store;
    options_.mountpoint = names.size() > 1 ? names[1] : "";
  }

  // Removes the query from the location. The part after the "?" may be a key (signed URLs), and is never
  // shown.
  void split_url(std::string& url) {
    // A key of an object may contain any character; a shared access signature of Azure is a query.
    const bool has_token = url.starts_with(remote::kAzureScheme) && url.find("sig=") != std::string::npos;
    const bool is_key = remote::is_object_location(url) && !has_token;
    if (!is_key) url.resize(std::min(url.size(), url.find('#')));
    const size_t mark = is_key ? std::string::npos : url.find('?');
    if (mark != std::string::npos) {
      options_.read.remote.query = url.substr(mark + 1);
      url.resize(mark);
    }
    while (url.ends_with('/') && !url.ends_with("://")) url.pop_back();
  }

  std::string_view value_of(std::string_view option) {
    if (next_ == arguments_.size()) throw Failure(kUsage, fmt::format("option {} requires a value", option));
    return arguments_[next_++];
  }

  void set_long(std::string_view argument) {
    std::string option(argument.substr(0, argument.find('=')));
    std::replace(option.begin(), option.end(), '-', '_');
    const Row* row = find_row(option);
    if (argument.find('=') != std::string_view::npos)
      option += argument.substr(argument.find('='));
    else if (row && !row->value.empty())
      option.append("=").append(value_of(argument));
    set_option(options_, option);
  }

  void set_letters(std::string_view letters) {
    while (!letters.empty()) {
      const char letter = letters.front();
      letters.remove_prefix(1);
      if (letter == 'o') {
        set_list(options_, letters.empty() ? value_of("-o") : letters);
        return;
      }
      const auto row =
          std::find_if(std::begin(kOwn), std::end(kOwn), [&](const Row& r) { return r.letter == letter; });
      if (row == std::end(kOwn)) throw Failure(kUsage, fmt::format("unknown option: -{}", letter));
      row->set(options_, {});
    }
  }

  std::span<const std::string> arguments_;
  size_t max_names_;
  size_t names_after_;
  size_t next_ = 0;
  Options options_;
};

std::string help_line(char letter, std::string_view name, std::string_view value, std::string_view help) {
  const std::string option = letter && value.empty() ? fmt::format("-{}, -o {}", letter, name)
                             : value.empty()         ? fmt::format("-o {}", name)
                                                     : fmt::format("-o {}={}", name, value);
  return fmt::format("  {:<28} {}\n", option, help);
}

}  // namespace

size_t first_name(std::span<const std::string> arguments) {
  const auto takes_next = [](std::string_view option) {
    if (option.starts_with("--")) {
      std::string name(option.substr(2));
      std::replace(name.begin(), name.end(), '-', '_');
      const Row* const row = find_row(name);
      return row && !row->value.empty();
    }
    return option.find('o') == option.size() - 1;  // letters, "-fo"
  };
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i].size() < 2 || arguments[i][0] != '-') return i;
    if (takes_next(arguments[i])) ++i;
  }
  return arguments.size();
}

Options parse_options(std::span<const std::string> arguments, size_t max_names, size_t names_after) {
  return Parser(arguments, max_names, names_after).parse();
}

std::vector<std::string> store_locations(const Options& options) {
  return options.read.join ? locations_of(*options.read.join) : std::vector<std::string>{options.store};
}

bool reads_url(const Options& options) {
  const std::vector<std::string> stores = store_locations(options);
  return std::any_of(stores.begin(), stores.end(), [](const std::string& store) { return is_url(store); });
}

std::string store_arguments(const Options& options) {
  if (options.join.empty()) return shell_word(options.store);
  std::string text = "--join " + options.join;
  if (!options.join_label.empty()) text += " --label " + shell_word(options.join_label);
  for (const std::string& name : options.joined) text += " " + shell_word(name);
  return text;
}

std::vector<Options> options_of_stores(std::span<const std::string> arguments) {
  const Options given = parse_options(arguments, kManyNames, 0);
  std::vector<Options> all;
  if (given.read.join) return {given};
  for (const std::string& name : given.names) {
    const std::string only[] = {"--", name};
    const Options named = parse_options(only, 1);  // like the single store of a command
    Options& options = all.emplace_back(given);
    options.store = named.store;
    options.mountpoint.clear();
    if (&name != &given.names[0]) options.read.remote.query = named.read.remote.query;
  }
  return all;
}

MountHelper from_mount_helper(std::span<const std::string> arguments) {
  MountHelper helper;
  std::vector<std::string>& kept = helper.arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool is_letters = argument.size() > 1 && argument[0] == '-' && argument[1] != '-';
    if (argument == "-t" || argument == "-N")
      ++i;
    else if (!is_letters || argument[1] == 'o' || argument[1] == 'h' || argument[1] == 'V')
      kept.push_back(argument);
    else
      helper.is_fake |= argument.find('f') != std::string::npos;
    if (argument == "-o" && i + 1 < arguments.size()) kept.push_back(arguments[++i]);
  }
  return helper;
}

bool is_for_others(const Options& options) {
  const std::vector<std::string>& passed = options.mount_options;
  return std::find(passed.begin(), passed.end(), "allow_other") != passed.end();
}

Json::Object describe(const Options& options) {
  Json::Object shown;
  for (const Row& row : kOwn)
    if (Shown value = row.show ? row.show(options) : std::nullopt)
      shown.emplace_back(row.name, *std::move(value));
  Json::List passed(options.mount_options.begin(), options.mount_options.end());
  if (!passed.empty()) shown.emplace_back("fuse", std::move(passed));
  return shown;
}

std::string options_to_open(const Options& options) {
  std::string given;
  for (const Row& row : kOwn) {
    const Shown value = row.is_for_opening ? row.show(options) : std::nullopt;
    if (!value) continue;
    const std::string* const text = value->text();
    given += fmt::format("-o {} ",
                         shell_word(text ? fmt::format("{}={}", row.name, *text) : std::string(row.name)));
  }
  return given;
}

std::string help_text() {
  std::string text =
      "usage: plainfs [options] STORE [MOUNTPOINT]\n" + usage_of_commands("       ") +
      "\n"
      "Mounts a BPCells, HDF5, AnnData, MuData, h5Seurat, 10x Genomics, loom, Zarr, HDMF-Zarr, VCF Zarr,\n"
      "OME-Zarr or takane store, an R object (.rds, .RData), or a directory of them, as plain files.\n"
      "Every -o NAME may also be written --NAME.\n\n";
  for (const Row& row : kOwn) {
    text += help_line(row.letter, row.name, row.value, row.help);
    if (row.name != "views") continue;
    text.back() = ' ';
    for (const View& view : views()) text.append(view.option).append(&view == &views().back() ? "\n" : " ");
  }
  text += "\nOptions of FUSE:\n";
  for (const Row& row : kFuse) text += help_line(row.letter, row.name, row.value, row.help);
  for (const Passed& passed : kPassed) {
    if (!passed.help.empty()) text += help_line(0, passed.name, passed.has_value ? "X" : "", passed.help);
  }
  text +=
      "\nFor mount(8) and its table ro, user, auto, noauto, nofail, _netdev, x-* and the like are accepted.\n"
      "To unmount: plainfs umount MOUNTPOINT, or fusermount3 -u MOUNTPOINT\n";
  return text;
}

}  // namespace plainfs
