#include "formats/model/node.h"

namespace plainfs {

std::optional<Node> Group::find(std::string_view name) const {
  for (Member& member : members()) {
    if (member.name == name) return std::move(member.node);
  }
  return std::nullopt;
}

ArrayPtr array_of(const Node& node) {
  if (const auto* error = std::get_if<Error>(&node.content)) throw *error;
  const auto* array = std::get_if<LabelledArray>(&node.content);
  return array ? array->values : nullptr;
}

ArrayPtr find_array(const Group& group, std::string_view name) {
  const std::optional<Node> node = group.find(name);
  return node ? array_of(*node) : nullptr;
}

GroupPtr find_group(const Group& group, std::string_view name) {
  const std::optional<Node> node = group.find(name);
  if (!node) return nullptr;
  if (const auto* error = std::get_if<Error>(&node->content); error && !node->parts) throw *error;
  return node->parts;
}

Attributes attributes_of(const Node& node) {
  if (node.attributes) return node.attributes();
  if (const auto* array = std::get_if<LabelledArray>(&node.content)) return array->values->attributes();
  return node.parts ? node.parts->attributes() : Attributes{};
}

}  // namespace plainfs
