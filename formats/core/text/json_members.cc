#include "formats/core/text/json_members.h"

namespace plainfs {
namespace {

template <class T>
const T& of_kind(const T* value, std::string_view name, const Json& member) {
  if (!value) throw damaged("invalid {}: {}", name, start_of_json(member));
  return *value;
}

}  // namespace

std::string start_of_json(const Json& value) {
  return to_json_text(value).substr(0, 80);
}

const Json& required(const Json& object, std::string_view name) {
  if (!object.object()) throw damaged("{} is not an object", start_of_json(object));
  const Json* const member = object.find(name);
  if (!member) throw damaged("{} is missing", name);
  return *member;
}

std::string required_text(const Json& object, std::string_view name) {
  const Json& member = required(object, name);
  return of_kind(member.text(), name, member);
}

bool required_flag(const Json& object, std::string_view name) {
  const Json& member = required(object, name);
  return of_kind(member.boolean(), name, member);
}

uint64_t required_count(const Json& object, std::string_view name) {
  const Json& member = required(object, name);
  const std::optional<uint64_t> count = member.as_uint64();
  return of_kind(count ? &*count : nullptr, name, member);
}

void for_each_required(const Json& object, std::string_view name,
                       const std::function<void(const Json&)>& use) {
  const Json& member = required(object, name);
  of_kind(member.is_list() ? &member : nullptr, name, member);
  for_each_item(member, use);
}

std::string optional_text(const Json& object, std::string_view name) {
  const Json* const member = object.find(name);
  return member && member->text() ? *member->text() : "";
}

}  // namespace plainfs
