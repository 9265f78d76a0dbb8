// What the links of a store lead to. A link is resolved twice: to what it is in the end (array, table or
// group), which decides under which names it is shown, and to the text it reads, which names its own target
// and no more.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fs/tree/open_stores.h"

namespace plainfs {

// Where a link points, before anything is looked up there.
struct Destination {
  StorePtr store;  // null: no store is there, or none that opens
  std::vector<std::string>
      outside;  // from this store's root to the root of that one: {"..", "other.h5"}; empty = the same
  bool in_reach = true;  // that store is beside this one or below its folder
};

// Looks up the links of one directory and remembers what it found. For one thread; throws nothing for a link
// that is wrong: it leads nowhere.
class Links {
 public:
  Links(StorePtr store, OpenStores& stores, Context& context);

  Destination destination(const Link& link) const;
  // What the link leads to in the end, through further links; nullopt where it leads nowhere or in a circle.
  std::optional<Node> target(const Link& link);
  // The group that holds the link's own target, before any step of the target's name; nullopt as above.
  std::optional<Node> target_folder(const Link& link);

 private:
  std::optional<Node> folder(const StorePtr& store, std::span<const std::string> path, int& links_left);
  std::optional<Node> final_target(const StorePtr& from, const Link& link, int& links_left);
  std::optional<Node> step(const StorePtr& store, const Node& folder, const std::string& name) const;

  StorePtr store_;
  OpenStores& stores_;
  Context& context_;
  // Folders by the store they are in and their names: many links of a directory lead into one.
  std::map<std::pair<const Store*, std::vector<std::string>>, std::optional<Node>> folders_;
};

}  // namespace plainfs
