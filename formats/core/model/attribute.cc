#include "formats/core/model/attribute.h"

#include <algorithm>

namespace plainfs {

const Json* find_attribute(const Attributes& attributes, std::string_view name) {
  for (const Attribute& attribute : attributes) {
    if (attribute.name != name) continue;
    if (attribute.error) throw attribute.error->at(fmt::format("attribute {}", name));
    return &attribute.value;
  }
  return nullptr;
}

std::vector<std::string> texts_of(const Attributes& attributes, std::string_view name) {
  std::vector<std::string> texts;
  const Json* value = find_attribute(attributes, name);
  if (!value) return texts;
  if (value->text()) texts.push_back(*value->text());
  if (const Json::List* list = value->list())
    for (const Json& item : *list)
      if (item.text()) texts.push_back(*item.text());
  return texts;
}

std::optional<std::string> text_of(const Attributes& attributes, std::string_view name) {
  const Json* value = find_attribute(attributes, name);
  if (value && value->list() && value->list()->size() == 1) value = &value->list()->front();
  if (!value || !value->text()) return std::nullopt;
  return *value->text();
}

std::optional<double> number_of(const Attributes& attributes, std::string_view name) {
  const Json* value = find_attribute(attributes, name);
  if (value && value->list() && value->list()->size() == 1) value = &value->list()->front();
  const std::optional<double> number = value ? value->as_double() : std::nullopt;
  const bool is_single = std::any_of(attributes.begin(), attributes.end(), [&](const Attribute& attribute) {
    return attribute.name == name && attribute.type && attribute.type->kind == Kind::real &&
           attribute.type->size == 4;
  });
  return number && is_single ? static_cast<double>(static_cast<float>(*number)) : number;
}

}  // namespace plainfs
