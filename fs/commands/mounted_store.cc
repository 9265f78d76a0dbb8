#include "fs/commands/mounted_store.h"

#include <boost/filesystem.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "formats/core/base/descriptor.h"
#include "fs/mounts/mount_note.h"
#include "fs/mounts/mount_table.h"

namespace plainfs {
namespace {

nlohmann::json json_in(const std::string& path) {
  return nlohmann::json::parse(file_content(path).value_or(""), nullptr, false);
}

std::string text_in(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// Returns the joined stores of an info.json; null for a single store.
std::shared_ptr<const JoinOptions> joined_in(const nlohmann::json& info) {
  const auto joined = info.find("joined");
  if (joined == info.end() || !joined->is_object() || !joined->contains("stores")) return nullptr;
  JoinOptions join;
  join.is_outer = text_in(*joined, "join") == "outer";
  join.column = text_in(*joined, "label");
  for (const nlohmann::json& store : (*joined)["stores"])
    if (store.is_object()) join.stores.push_back({text_in(store, "store"), text_in(store, "label")});
  return join.stores.empty() ? nullptr : std::make_shared<const JoinOptions>(std::move(join));
}

}  // namespace

std::optional<MountedStore> mounted_at(const std::string& path) {
  boost::system::error_code error;
  const std::string real = boost::filesystem::canonical(path, error).string();
  if (error || what_is_mounted(real).device.empty()) return std::nullopt;
  const nlohmann::json info = json_in(real + "/.plainfs/info.json");
  if (!info.is_object() || !info.value("pid", nlohmann::json()).is_number_unsigned()) return std::nullopt;
  MountedStore mounted;
  mounted.store = text_in(info, "store");
  mounted.process = info["pid"].get<uint64_t>();
  if (const auto options = info.find("options"); options != info.end() && options->is_object())
    mounted.subdir = text_in(*options, "subdir");
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
    const nlohmann::json info = json_in(own + "info.json"), counters = json_in(own + "stats.json");
    asked.answers = info.is_object() && counters.is_object();
    if (asked.answers && info.contains("libraries") && info["libraries"].is_object())
      asked.version = text_in(info["libraries"], "plainfs");
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
