// What stands mounted at a place, as its own .plainfs/info.json says.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "fs/command_line/options.h"

namespace plainfs {

struct MountedStore {
  std::string store;
  std::string subdir;  // what is shown of it; "" = all
  uint64_t process = 0;
};

// nullopt where nothing is mounted at path, or not by plainfs. Asks the mount.
std::optional<MountedStore> mounted_at(const std::string& path);

struct AskedMount {
  bool is_here = false;  // else in a namespace of mounts of its own, as that of `plainfs run`
  bool answers = false;
  std::string version;                                 // of the plainfs that runs
  nlohmann::json counters = nlohmann::json::object();  // as its stats.json has them
};

// What a mount says of itself within a second; one that is busy with a server that is silent may not.
AskedMount ask_mount(const std::string& mountpoint);

// Where all of the store is mounted; "" where it is not, or not by this user.
std::string mountpoint_of(const std::string& store);

}  // namespace plainfs
