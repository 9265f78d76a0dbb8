#include "formats/core/model/derived_group.h"

#include <algorithm>

namespace plainfs {

std::vector<Member> OverlayGroup::members() const {
  std::vector<Member> members = stored().members();
  if (refine_)
    for (Member& member : members) member.node = refine_(member.name, std::move(member.node));
  members.insert(members.end(), added_.begin(), added_.end());
  return members;
}

std::optional<Node> OverlayGroup::find(std::string_view name) const {
  if (std::optional<Node> node = stored().find(name))
    return refine_ ? refine_(std::string(name), std::move(*node)) : std::move(*node);
  for (const Member& member : added_)
    if (member.name == name) return member.node;
  return std::nullopt;
}

std::string member_path(const Group& group, std::string_view name) {
  std::string path = group.path();
  if (!path.ends_with('/')) path += '/';
  return path.append(name);
}

KnownMembers::KnownMembers(GroupPtr group, std::vector<Member> members, std::vector<std::string> names)
    : DerivedGroup(std::move(group)), members_(std::move(members)) {
  for (size_t i = 0; i < names.size(); ++i) names_.emplace_back(std::move(names[i]), i);
  std::sort(names_.begin(), names_.end());
}

std::optional<Node> KnownMembers::find(std::string_view name) const {
  return known(name) ? stored().find(name) : std::nullopt;
}

const Node* KnownMembers::known(std::string_view name) const {
  const auto found =
      std::lower_bound(names_.begin(), names_.end(), name,
                       [](const auto& each, std::string_view sought) { return each.first < sought; });
  return found != names_.end() && found->first == name ? &members_[found->second].node : nullptr;
}

}  // namespace plainfs
