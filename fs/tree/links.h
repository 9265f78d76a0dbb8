// The targets of the links of a store. A link is resolved twice: to its final target (array, table or group),
// which decides under which names it is shown, and to its text, which names only its direct target.
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

// The target of a link before it is looked up.
struct Destination {
  StorePtr store;                    // null: there is no store, or it does not open
  std::vector<std::string> outside;  // names from this store's root to the root of that one: {"..",
                                     // "other.h5"}; empty = this store
  bool in_reach = true;              // the store is beside this one or below its folder
};

// A resolver for the links of one directory. It remembers its lookups, so that each step is taken once for
// all links. Not thread-safe. An invalid link has no target. Errors of the system (Errc unreadable) and of a
// changed store are thrown, because the target is then unknown.
class Links {
 public:
  Links(StorePtr store, OpenStores& stores, Context& context);

  Destination destination(const Link& link);
  // Returns the final target of the link, through further links; nullopt if it is missing, or if the links
  // form a circle or are more than Linux follows.
  std::optional<Node> target(const Link& link);
  // Returns the group that holds the link's direct target, before the target's own name is looked up; nullopt
  // as above.
  std::optional<Node> target_folder(const Link& link);

 private:
  using Path = std::vector<std::string>;
  using StoredPlace = std::pair<const Store*, Path>;

  // The final object at a place. node: nullopt if missing.
  struct End {
    std::optional<Node> node;
    int links = 0;             // followed on the way
    bool is_too_deep = false;  // too many links in the folders of links; not the fault of this place
  };

  End end_of(const StorePtr& store, std::span<const std::string> path, int depth);
  End follow(StorePtr store, Link link, int depth);
  std::optional<Node> step(const StorePtr& store, const Node& folder, const std::string& name) const;
  std::string other_store(const std::string& source);
  bool is_in_reach(const std::string& path);

  StorePtr store_;
  OpenStores& stores_;
  Context& context_;
  std::optional<Containment> reach_;           // created on first use
  std::map<std::string, Destination> others_;  // by source
  std::map<StoredPlace, End> known_;
};

}  // namespace plainfs
