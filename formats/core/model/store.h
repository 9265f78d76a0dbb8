// What a format is: a container opens a path as a Store, a schema gives what a container found its meaning.
// The tables of both are in formats/registry.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/core/base/probe.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/text/json.h"

namespace plainfs {

// An opened store.
struct Store {
  std::string path;      // its location: on disk, as an absolute path
  std::string format;    // "HDF5", "Zarr v2", "BPCells directory"
  std::string version;   // of the format, where the store says it
  Node root;             // refined by the schemas
  Json::Object details;  // what the format adds to .plainfs/info.json
  // The root as the container found it; empty where the container says of nothing in it what it is (R
  // objects).
  Node stored{};
  // Set by the container: what is in it is for a schema to say.
  bool is_one_value = false;
};

struct Container {
  std::string_view name;
  // Cheap: asks for the location's kind and its first bytes or its marker files. Never throws.
  bool (*recognises)(const Probe& probe);
  // What stands at the probe's location, which this container recognises. Throws an Error whose message
  // stands alone after "plainfs: PATH: ".
  Store (*open)(const Probe& probe, Context& context);
  // Whether the first bytes of what this container recognises tell that it opens, so that it is known for a
  // directory without opening it; null: they never do. Cheap; never throws.
  bool (*is_sure_to_open)(const Probe& probe) = nullptr;
};

struct Schema {
  std::string_view name;
  // The node with more meaning, or nullopt where this schema has nothing to say. Asked for a store's root and
  // for every member that is listed; a schema of whole stores answers for the root only, with a group that
  // refines its members itself. Throws where the node might be its own, but what tells so cannot be read; not
  // for what was read and does not fit, nor for a node that cannot be its own whatever that is.
  std::optional<Node> (*refine)(const Node& node, Context& context);
  // Adds to details of a store whose (raw) root this schema recognises; may be null.
  void (*describe)(const Node& raw_root, Store& store);
};

using StorePtr = std::shared_ptr<const Store>;

}  // namespace plainfs
