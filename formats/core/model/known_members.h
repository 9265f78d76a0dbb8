// A group whose members are known and refined already: what views see of the directory they are asked about.
#pragma once

#include <utility>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs {

class KnownMembers : public Group {
 public:
  KnownMembers(GroupPtr group, std::vector<Member> members)
      : group_(std::move(group)), members_(std::move(members)) {}

  const GroupPtr& group() const { return group_; }
  std::vector<Member> members() const override { return members_; }
  std::optional<Node> find(std::string_view name) const override { return group_->find(name); }
  Attributes attributes() const override { return group_->attributes(); }
  GroupPtr parent() const override { return group_->parent(); }
  std::string path() const override { return group_->path(); }

 private:
  const GroupPtr group_;
  const std::vector<Member> members_;
};

// group, or the one whose known members it stands for.
inline const Group& stored_group(const Group& group) {
  const auto* known = dynamic_cast<const KnownMembers*>(&group);
  return known ? *known->group() : group;
}

}  // namespace plainfs
