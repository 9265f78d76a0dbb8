// A directory generated from an R value, and its place.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs::robject {

struct Place {
  GroupPtr parent;  // null at the root
  std::string path = "/";
  Place inside(const std::string& name, GroupPtr self) const {
    return {std::move(self), (path == "/" ? path : path + "/") + name};
  }
};

// A directory with members that are created again for each listing, from values in memory.
class Directory final : public Group {
 public:
  using List = std::function<std::vector<Member>(const GroupPtr& self)>;
  using Describe = std::function<Attributes()>;

  Directory(Place place, List list, Describe describe = nullptr)
      : place_(std::move(place)), list_(std::move(list)), describe_(std::move(describe)) {}

  std::vector<Member> members() const override { return list_(shared_from_this()); }
  Attributes attributes() const override { return describe_ ? describe_() : Attributes(); }
  GroupPtr parent() const override { return place_.parent; }
  std::string path() const override { return place_.path; }

 private:
  const Place place_;
  const List list_;
  const Describe describe_;
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
