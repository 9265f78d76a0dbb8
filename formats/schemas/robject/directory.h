// A directory generated from an R value, and its place.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "formats/core/model/derived_group.h"

namespace plainfs::robject {

struct Place {
  GroupPtr parent;  // null at the root
  std::string path = "/";
  Place inside(const std::string& name, GroupPtr self) const {
    return {std::move(self), (path == "/" ? path : path + "/") + name};
  }
};

// A directory with members that are created again for each listing, from values in memory.
class Directory final : public ListedGroup {
 public:
  Directory(Place place, List list, std::function<Attributes()> attributes = nullptr)
      : ListedGroup(std::move(place.parent), std::move(place.path), std::move(list), std::move(attributes)) {}
};

// The names of members. A name that is already used gets ~2, ~3, …
class MemberNames {
 public:
  // Returns a free name. wanted: empty = the position, from 0.
  std::string take(const std::string& wanted, size_t position);

 private:
  std::set<std::string> taken_;
};

}  // namespace plainfs::robject
