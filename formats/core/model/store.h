// The interface of formats: a container opens a path as a Store, and a schema gives meaning to what a
// container found. The tables of both are in formats/registry.h.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/base/location.h"
#include "formats/core/base/probe.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/text/json.h"

namespace plainfs {

// A fact about a store for people: "images", "tissue, cells".
struct StoreFact {
  std::string name;
  std::string value;
};

// An opened store.
struct Store {
  std::string path;      // its location; on disk an absolute path
  std::string format;    // "HDF5", "Zarr v2", "BPCells directory"
  std::string version;   // of the format, if the store states it
  Node root;             // refined by the schemas
  Json::Object details;  // additions of the format to .plainfs/info.json
  // The root as the container found it. Empty if the container does not identify anything in it (R objects).
  Node stored{};
  // Set by the container: a schema determines the content.
  bool is_one_value = false;
  std::vector<StoreFact> facts{};     // of the format, for the pages of `serve`
  bool is_folder = false;             // a folder that is shown as it is, with the stores in it
  std::vector<std::string> joined{};  // the locations of the stores of which it is made; path is the first
};

// Returns where the store is, or each of those of which it is made.
inline std::vector<std::string> places_of(const Store& store) {
  return store.joined.empty() ? std::vector<std::string>{store.path} : store.joined;
}

// Returns whether the store, or one of those of which it is made, is behind a URL.
inline bool is_remote(const Store& store) {
  const std::vector<std::string> places = places_of(store);
  return std::any_of(places.begin(), places.end(), [](const std::string& place) { return is_url(place); });
}

struct Container {
  std::string_view name;
  // Returns whether the container recognises the location. Cheap: examines the location's kind and its first
  // bytes or its marker files. Never throws.
  bool (*recognises)(const Probe& probe);
  // Opens the probe's location, which this container recognises. Throws an Error with a message that is
  // complete after "plainfs: PATH: ".
  Store (*open)(const Probe& probe, Context& context);
  // Returns whether the first bytes of a recognised location show that it opens, so that it can be listed as
  // a directory without opening it. Null: they never do. Cheap. Never throws.
  bool (*is_sure_to_open)(const Probe& probe) = nullptr;
  // A file that it recognises is a plain file in a mirrored folder, not a directory: its text is what other
  // programs read.
  bool reads_plain_files = false;
  // Files and folders that it recognises stay as they are in a mirrored folder, with their table beside them.
  bool is_shown_beside = false;
};

struct Schema {
  std::string_view name;
  // Returns the node with more meaning, or nullopt if this schema does not apply. Called for a store's root
  // and for every member that is listed. A schema of whole stores applies to the root only, with a group that
  // refines its members itself. Throws if the node might match but the data that decide this cannot be read.
  // Does not throw for data that were read and do not match, nor for a node that cannot match in any case.
  std::optional<Node> (*refine)(const Node& node, Context& context);
  // Adds to the details and facts of a store with a (raw) root that this schema recognises. May be null.
  void (*describe)(const Node& raw_root, Store& store);
};

using StorePtr = std::shared_ptr<const Store>;

}  // namespace plainfs
