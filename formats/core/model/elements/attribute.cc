#include "formats/core/model/elements/attribute.h"

#include <algorithm>

#include "cache/lazy.h"

namespace plainfs {

struct Attribute::Unpacked {
  explicit Unpacked(std::function<Json()> function) : unpack(std::move(function)) {}

  const std::function<Json()> unpack;
  Lazy<Json> value;
};

Attribute::Attribute(std::string attribute_name, std::function<Json()> unpack,
                     std::shared_ptr<const DType> element_type)
    : name(std::move(attribute_name)),
      type(std::move(element_type)),
      content_(std::make_shared<const Unpacked>(std::move(unpack))) {}

const Json& Attribute::value() const {
  if (const Error* const error = std::get_if<Error>(&content_)) throw *error;
  if (const auto* const packed = std::get_if<std::shared_ptr<const Unpacked>>(&content_))
    return (*packed)->value.get((*packed)->unpack);
  return std::get<Json>(content_);
}

Json Attribute::unpacked() const {
  const auto* const packed = std::get_if<std::shared_ptr<const Unpacked>>(&content_);
  return packed && !(*packed)->value.known() ? (*packed)->unpack() : value();
}

const Attribute* Attributes::named(std::string_view name) const {
  const auto found = std::find_if(begin(), end(), [&](const Attribute& each) { return each.name == name; });
  return found == end() ? nullptr : &*found;
}

Attribute* Attributes::named(std::string_view name) {
  return const_cast<Attribute*>(std::as_const(*this).named(name));
}

const Json* Attributes::find(std::string_view name) const {
  const Attribute* const attribute = named(name);
  if (!attribute) return nullptr;
  try {
    return &attribute->value();
  } catch (const Error& error) {
    throw error.at(fmt::format("attribute {}", name));
  }
}

std::vector<std::string> Attributes::texts(std::string_view name) const {
  std::vector<std::string> texts;
  const Json* value = find(name);
  if (!value) return texts;
  if (value->text()) texts.push_back(*value->text());
  if (const Json::List* list = value->list())
    for (const Json& item : *list)
      if (item.text()) texts.push_back(*item.text());
  return texts;
}

std::optional<std::string> Attributes::text(std::string_view name) const {
  const Json* value = find(name);
  const std::string* const text = value ? value->only_item().text() : nullptr;
  return text ? std::optional(*text) : std::nullopt;
}

std::optional<double> Attributes::number(std::string_view name) const {
  const Json* value = find(name);
  const std::optional<double> number = value ? value->only_item().as_double() : std::nullopt;
  if (!number) return std::nullopt;
  const std::shared_ptr<const DType>& type = named(name)->type;
  const bool is_single = type && type->kind == Kind::real && type->size == 4;
  return is_single ? static_cast<double>(static_cast<float>(*number)) : number;
}

const Attribute* Attributes::Readable::named(std::string_view name) const {
  for (const Attribute& attribute : all_) {
    if (attribute.name != name) continue;
    try {
      attribute.value();
      return &attribute;
    } catch (const Error& error) {
      if (is_transient(error)) throw error.at(fmt::format("attribute {}", name));
    }
  }
  return nullptr;
}

const Json* Attributes::Readable::find(std::string_view name) const {
  const Attribute* const attribute = named(name);
  return attribute ? &attribute->value() : nullptr;
}

std::string Attributes::Readable::text(std::string_view name) const {
  const Json* const value = find(name);
  const std::string* const text = value ? value->only_item().text() : nullptr;
  return text ? *text : std::string();
}

}  // namespace plainfs
