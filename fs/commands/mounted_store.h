// The store mounted at a place, according to the mount's .plainfs/info.json.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "formats/core/text/json.h"
#include "fs/command_line/options.h"

namespace plainfs {

struct MountedStore {
  std::string store;
  std::string subdir;  // the directory shown; "" = all
  uint64_t process = 0;
  std::shared_ptr<const JoinOptions> join{};  // null: it is one store
};

// Returns nullopt if nothing is mounted at `path`, or not by plainfs. Asks the mount.
std::optional<MountedStore> mounted_at(const std::string& path);

struct AskedMount {
  bool is_here = false;  // false: it is in another mount namespace, like that of `plainfs run`
  bool answers = false;
  std::string version;             // of the running plainfs
  Json counters = Json::Object{};  // the content of its stats.json
};

// Asks a mount for its state and waits at most a second. A mount that waits for a silent server may not
// answer.
AskedMount ask_mount(const std::string& mountpoint);

// Returns the mountpoint where the whole store is mounted; "" if it is not mounted, or by another user.
std::string mountpoint_of(const std::string& store);

}  // namespace plainfs
