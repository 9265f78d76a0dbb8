// What a directory shows: the members of a group as the schemas see them, the files that the views offer for
// each, and the links, all under safe and distinct names. Made in one go when the directory is listed; reads
// no data.
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

// One name of a directory.
struct DirectoryEntry {
  std::string name;
  FileKind kind;
  Node node;           // what it stands for; its attributes are the file's
  Opener open;         // of a file
  std::string target;  // of a link
  // Of a link of which it is not known where it leads. Of what views show in the directory of something that
  // cannot be read for now: why, so that it is not kept.
  std::optional<Error> error{};
  // What a directory that views make holds; its node is empty.
  std::function<std::vector<DirectoryEntry>()> list = nullptr;
  // Where it is set: it is a directory of these.
  FoundFilesPtr found = nullptr;
  bool is_made = false;              // it is a directory that views make
  bool is_unlisted = false;          // found by its name, and in no listing
  bool is_sized_by_reading = false;  // or, of a link, what it leads to
  bool shows_again = false;          // View::shows_again of its view, or of what it leads to
  // The name, without an extension, that all have that stand for one member of the store: "obs" of obs/,
  // obs.csv and obs.rds. Empty: what stands for no member, or is inside of its directory.
  std::string member{};
};

// Where a directory is.
struct DirectoryPlace {
  StorePtr store;
  std::vector<std::string> above;  // names from the store's root to what is shown of it; empty = all of it
  std::vector<std::string> names;  // from there to the directory
  bool is_top = false;             // the mountpoint
  bool is_named = false;           // in the store that was named to be mounted
};

// What listing needs besides the place.
struct ListingContext {
  Context& context;  // of the place's store
  OpenStores& stores;
  ChosenViews views;
};

// Members that cannot be opened for now, by their encoded names.
struct Unopened : std::map<std::string, Error> {
  // Why it is not known whether there is such a name, where that is so: it may be that of a member that
  // cannot be opened for now or of a view of it. Null: it is known. What cannot be read is never as if it
  // were not there.
  const Error* unknown(std::string_view name) const;
};

struct DirectoryContent {
  std::vector<DirectoryEntry> shown;
  Unopened unopened;
};

// The content of a directory at place: of its node, or what views have made it of. Throws where the group
// cannot be read. Requires: its files are not found by their names.
DirectoryContent show_directory(const DirectoryEntry& directory, const Node& node,
                                const DirectoryPlace& place, const ListingContext& listing);

// The file of that name in a directory whose files are found. Throws not_found where there is none.
DirectoryEntry show_found(const FoundFiles& files, const std::string& name);

// A name under which views show a node itself: ".csv", ".npy"; "" for its directory.
struct Extension {
  std::string text;
  bool is_unlisted = false;
  bool is_sized_by_reading = false;
  bool shows_again = false;
};
// Those beside each other.
std::vector<Extension> extensions_of(const Node& node, const ListingContext& listing);

// Opens the host's file that node is. Requires: its content is a PlainFile.
Opener open_plain_file(const Node& node, const ListingContext& listing);

// Of the directory itself, even where its node is shown as an array or table beside it.
Attributes own_attributes(const Node& directory);

// A directory node for a store's root: the root itself, or a group that holds the one array or table the
// store is. The attributes of that one are also those of the mountpoint, but not of a directory inside a
// mirror (the fixtures have it so).
Node as_root_directory(Node root, bool is_top);

}  // namespace plainfs
