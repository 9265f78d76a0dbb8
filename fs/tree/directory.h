// The content of a directory: the members of a group as the schemas see them, the files that the views offer
// for each, and the links, all under safe and distinct names. Generated at once when the directory is listed;
// reads no data.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fs/tree/inodes.h"
#include "fs/tree/open_stores.h"
#include "fs/views/view.h"

namespace plainfs {

// One name in a directory: what views generate, or a member of the store. `node()` is the node that the
// name stands for. The flags of a link are those of its target. `fault` of a link: the target is unknown; of
// a name that views show in the directory of something that cannot be read for now: the reason.
struct DirectoryEntry : ViewEntry {
  FileKind kind = FileKind::file;
  std::string target{};       // of a link
  bool is_generated = false;  // a directory that views generate
  // The name without extension that all entries for one member of the store share: "obs" for obs/, obs.csv
  // and obs.rds. Empty for an entry that stands for no member or is inside the member's directory.
  std::string member{};
};

// The location of a directory.
struct DirectoryPlace {
  StorePtr store;
  std::vector<std::string> above;  // names from the store's root to the part that is shown; empty = all of it
  std::vector<std::string> names;  // names from there to the directory
  bool is_top = false;             // the mountpoint
  bool is_named = false;           // in the store that was named on the command line
};

// The parameters of a listing besides the place.
struct ListingContext {
  Context& context;  // of the place's store
  OpenStores& stores;
  ChosenViews views;
};

// Members that cannot be opened for now, by their encoded names.
struct Unopened : std::map<std::string, Error> {
  // Returns the reason if it is unknown whether `name` exists, because it may belong to a member that cannot
  // be opened for now or to a view of it. Returns null if it is known. A name that cannot be read is never
  // reported as missing.
  const Error* unknown(std::string_view name) const;
};

struct DirectoryContent {
  std::vector<DirectoryEntry> shown;
  Unopened unopened;
};

// Returns the content of the directory at `place`: the members of its node, or what views generate. Throws if
// the group cannot be read. Requires: the directory has no NamedFiles.
DirectoryContent show_directory(const DirectoryEntry& directory, const Node& node,
                                const DirectoryPlace& place, const ListingContext& listing);

// Returns the file `name` of a directory of NamedFiles. Throws not_found if it is missing.
DirectoryEntry show_found(const NamedFiles& files, const std::string& name);

// The extension of a view that shows a node itself, such as ".csv" or ".npy"; "" for its directory.
struct Extension {
  std::string text;
  bool is_unlisted = false;
  bool is_sized_by_reading = false;
  bool shows_again = false;
};
// Returns the extensions under which the node is shown side by side.
std::vector<Extension> extensions_of(const Node& node, const ListingContext& listing);

// Opens the host's file that the node stands for. Requires: the content of the node is a PlainFile.
Opener open_plain_file(const Node& node, const ListingContext& listing);

// Returns the attributes of the directory itself, even if its node is shown as an array or table beside it.
Attributes own_attributes(const Node& directory);

// Returns a directory node for a store's root: the root itself, or a group that holds the one array or table
// of the store. The attributes of that array or table are also those of the mountpoint, but not of a
// directory inside a mirror (as the fixtures require).
Node as_root_directory(Node root, bool is_top);

}  // namespace plainfs
