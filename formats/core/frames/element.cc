#include "formats/core/frames/element.h"

#include "formats/core/frames/categorical.h"
#include "formats/core/frames/encoding.h"
#include "formats/core/frames/names.h"
#include "formats/core/frames/nullable.h"

namespace plainfs::frames {
namespace {

bool is_nullable(const Encoding& encoding) {
  return encoding.is("nullable-integer", {"0.1.0"}) || encoding.is("nullable-boolean", {"0.1.0"}) ||
         encoding.is("nullable-string-array", {"0.1.0"});
}

std::optional<Encoding> group_encoding(const Node& node) {
  if (!node.parts || !std::holds_alternative<std::monostate>(node.content)) return std::nullopt;
  return encoding_of(node.parts->attributes());
}

}  // namespace

ArrayPtr values_of(const Node& node, Context& context) {
  const std::optional<Encoding> encoding = group_encoding(node);
  if (encoding && encoding->is("categorical", {"0.2.0"})) return categorical_group(*node.parts, context);
  return plain_values_of(node);
}

ArrayPtr plain_values_of(const Node& node) {
  if (ArrayPtr array = array_of(node)) return array->is_null() ? nullptr : array;
  const std::optional<Encoding> encoding = group_encoding(node);
  return encoding && is_nullable(*encoding) ? nullable_group(*node.parts) : nullptr;
}

bool holds_text(const Node& node) {
  const std::optional<Encoding> encoding = group_encoding(node);
  if (encoding && encoding->is("categorical", {"0.2.0"})) {
    const std::string path[] = {"categories"};
    const std::optional<Node> categories = find_path(*node.parts, path);
    const ArrayPtr labels = categories ? plain_values_of(*categories) : nullptr;
    return labels && is_text(labels->dtype());
  }
  const ArrayPtr values = plain_values_of(node);
  return values && is_text(values->dtype());
}

}  // namespace plainfs::frames
