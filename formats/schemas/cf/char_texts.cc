#include "formats/schemas/cf/char_texts.h"

#include "formats/core/cf/characters.h"

namespace plainfs::chartext {

std::optional<Node> refine(const Node& node, Context&) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || array->labels || !may_be_texts(*array->values)) return std::nullopt;
  LabelledArray text = *array;
  try {
    if (!are_marked_as_texts(array->values->attributes())) return std::nullopt;
    text.labels = joined_text(array->values);
  } catch (const Error& error) {
    if (error.code() != Errc::damaged) throw;
    // The characters as stored need no attributes.
    text.labels = std::make_shared<BrokenArray>(array->values->dtype(), error);
  }
  Node refined = node;
  refined.content = std::move(text);
  return refined;
}

}  // namespace plainfs::chartext
