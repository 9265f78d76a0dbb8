// What the links of a store lead to. A link is resolved twice: to what it is in the end (array, table or
// group), which decides under which names it is shown, and to the text it reads, which names its own target
// and no more.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/base/containment.h"
#include "fs/tree/open_stores.h"

namespace plainfs {

// Where a link points, before anything is looked up there.
struct Destination {
  StorePtr store;  // null: no store is there, or none that opens
  std::vector<std::string>
      outside;  // from this store's root to the root of that one: {"..", "other.h5"}; empty = the same
  bool in_reach = true;  // that store is beside this one or below its folder
};

// Looks up the links of one directory and remembers what it found, so that each step on the way of all of
// them is made once. For one thread. A link that is wrong leads nowhere; what the system does not let be read
// (Errc unreadable) or what has changed is thrown, because it is not known then where the link leads.
class Links {
 public:
  Links(StorePtr store, OpenStores& stores, Context& context);

  Destination destination(const Link& link);
  // What the link leads to in the end, through further links; nullopt where it leads nowhere, in a circle or
  // through more links than Linux follows.
  std::optional<Node> target(const Link& link);
  // The group that holds the link's own target, before any step of the target's name; nullopt as above.
  std::optional<Node> target_folder(const Link& link);

 private:
  using Path = std::vector<std::string>;
  using StoredPlace = std::pair<const Store*, Path>;

  // What stands at a place in the end. node: nullopt where that is nowhere.
  struct End {
    std::optional<Node> node;
    int links = 0;             // followed on the way
    bool is_too_deep = false;  // links in the folders of links, too many: not the place's own fault
  };

  End end_of(const StorePtr& store, std::span<const std::string> path, int depth);
  End follow(StorePtr store, Link link, int depth);
  std::optional<Node> step(const StorePtr& store, const Node& folder, const std::string& name) const;
  std::string other_store(const std::string& source);
  bool is_in_reach(const std::string& path);

  StorePtr store_;
  OpenStores& stores_;
  Context& context_;
  std::optional<Containment> reach_;           // made where it is first asked for
  std::map<std::string, Destination> others_;  // by source
  std::map<StoredPlace, End> known_;
};

}  // namespace plainfs
