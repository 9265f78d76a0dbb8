#include "formats/core/model/derived_group.h"

namespace plainfs {

std::vector<Member> OverlayGroup::members() const {
  std::vector<Member> members = stored_->members();
  if (refine_)
    for (Member& member : members) member.node = refine_(member.name, std::move(member.node));
  members.insert(members.end(), added_.begin(), added_.end());
  return members;
}

std::optional<Node> OverlayGroup::find(std::string_view name) const {
  if (std::optional<Node> node = stored_->find(name))
    return refine_ ? refine_(std::string(name), std::move(*node)) : std::move(*node);
  for (const Member& member : added_)
    if (member.name == name) return member.node;
  return std::nullopt;
}

}  // namespace plainfs
