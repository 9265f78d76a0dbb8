#include "fs/commands/mounted_store.h"

#include <boost/filesystem.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "formats/core/text/json_members.h"
#include "fs/mounts/mount_note.h"
#include "fs/mounts/mount_table.h"

namespace plainfs {
namespace {

// Returns the joined stores of an info.json; null for a single store.
std::shared_ptr<const JoinOptions> joined_in(const Json& info) {
  const Json* const joined = info.find("joined");
  const Json* const stores = joined ? joined->find("stores") : nullptr;
  if (!stores || !stores->is_list()) return nullptr;
  JoinOptions join;
  join.is_outer = optional_text(*joined, "join") == "outer";
  join.column = optional_text(*joined, "label");
  for_each_item(*stores, [&](const Json& store) {
    if (store.object()) join.stores.push_back({optional_text(store, "store"), optional_text(store, "label")});
  });
  return join.stores.empty() ? nullptr : std::make_shared<const JoinOptions>(std::move(join));
}

}  // namespace

std::optional<MountedStore> mounted_at(const std::string& path) {
  boost::system::error_code error;
  const std::string real = boost::filesystem::canonical(path, error).string();
  if (error || what_is_mounted(real).device.empty()) return std::nullopt;
  const Json info = json_in(real + "/.plainfs/info.json");
  const std::optional<uint64_t> process = count_in(info, "pid");
  if (!process) return std::nullopt;
  MountedStore mounted;
  mounted.store = optional_text(info, "store");
  mounted.process = *process;
  if (const Json* const options = info.find("options")) mounted.subdir = optional_text(*options, "subdir");
  mounted.join = joined_in(info);
  return mounted.store.empty() ? std::nullopt : std::optional(mounted);
}

AskedMount ask_mount(const std::string& mountpoint) {
  constexpr std::chrono::seconds kPatience{1};
  AskedMount silent;
  silent.is_here = !what_is_mounted(mountpoint).device.empty();
  if (!silent.is_here) return silent;
  // If the mount does not answer, the thread is left behind with the data that it writes to.
  const auto promise = std::make_shared<std::promise<AskedMount>>();
  std::future<AskedMount> answer = promise->get_future();
  std::thread([promise, own = mountpoint + "/.plainfs/"] {
    AskedMount asked;
    asked.is_here = true;
    const Json info = json_in(own + "info.json"), counters = json_in(own + "stats.json");
    asked.answers = info.object() && counters.object();
    const Json* const libraries = asked.answers ? info.find("libraries") : nullptr;
    if (libraries) asked.version = optional_text(*libraries, "plainfs");
    if (asked.answers) asked.counters = counters;
    promise->set_value(std::move(asked));
  }).detach();
  return answer.wait_for(kPatience) == std::future_status::ready ? answer.get() : silent;
}

std::string mountpoint_of(const std::string& store) {
  for (const FoundMount& mount : found_mounts()) {
    if (mount.store != store) continue;
    const std::optional<MountedStore> shown = mounted_at(mount.mountpoint);
    if (shown && shown->subdir.empty() && !shown->join) return mount.mountpoint;
  }
  return {};
}

}  // namespace plainfs
