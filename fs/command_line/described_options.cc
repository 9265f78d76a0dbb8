// The options in info.json (describe, fs/command_line/options.h).
#include <fmt/format.h>

#include "fs/command_line/options.h"
#include "fs/index/index_folder.h"

namespace plainfs {

Json::Object describe(const Options& options) {
  const Options defaults;
  Json::Object shown{{"cache_size", Json::of(options.cache_bytes)}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) shown.emplace_back(name, value);
  };
  if (options.threads != 0) shown.emplace_back("threads", Json::of(uint64_t{options.threads}));
  add("views", options.views);
  if (options.lists_parts) shown.emplace_back("parts", true);
  add("cells", options.cells);
  add("genome", options.genome);
  add("subdir", options.subdir);
  if (options.index != IndexFolder::default_path())
    add("index", options.index.empty() ? "none" : options.index);
  if (options.indexes_ahead) shown.emplace_back("index_ahead", true);
  if (options.idle_seconds != 0) shown.emplace_back("timeout", Json::of(options.idle_seconds));
  if (options.log_level != defaults.log_level) add("log_level", options.log_level);
  add("log_file", options.log_file);
  if (options.reopens_on_change) add("on_change", "reopen");
  if (options.read.absent_chunk_is_error) add("missing", "error");
  if (options.read.array_header) shown.emplace_back("header", true);
  add("rowname", options.read.row_name_header);
  if (options.read.ragged_as_count) add("ragged", "count");
  if (options.read.hdf5_plugins) shown.emplace_back("hdf5_plugins", true);
  if (options.hdf5_inside) shown.emplace_back("hdf5_inside", true);
  if (options.sandbox == Sandbox::kRequired) add("sandbox", "required");
  if (options.sandbox == Sandbox::kNone) add("sandbox", "none");
  if (options.read.follow_outside) shown.emplace_back("follow_outside", true);
  if (options.read.remote.no_sign) shown.emplace_back("no_sign", true);
  add("endpoint", options.read.remote.endpoint);
  add("region", options.read.remote.region);
  const RemoteOptions& remote = options.read.remote;
  add("remote_cache", remote.cache_bytes == defaults.read.remote.cache_bytes
                          ? remote.cache_folder
                          : fmt::format("{}:{}", remote.cache_folder, remote.cache_bytes));
  if (remote.patience_seconds != defaults.read.remote.patience_seconds)
    shown.emplace_back("remote_timeout", Json::of(remote.patience_seconds));
  Json::List passed(options.mount_options.begin(), options.mount_options.end());
  if (!passed.empty()) shown.emplace_back("fuse", std::move(passed));
  return shown;
}

}  // namespace plainfs
