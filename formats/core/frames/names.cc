#include "formats/core/frames/names.h"

#include "formats/core/frames/parts.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/character_references.h"

namespace plainfs::frames {

bool is_readable(const Array& array) {
  try {
    array.check();
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool is_text(const DType& type) {
  return type.kind == Kind::text || type.kind == Kind::fixed_text || type.kind == Kind::fixed_utf32;
}

ArrayPtr fitting_names(ArrayPtr names, uint64_t count, const std::string& place, Context& context) {
  if (!names) return nullptr;
  if (names->shape().size() == 1 && names->count() == count) return names;
  if (!is_readable(*names)) return names;
  context.notice(fmt::format("{}: {} names for {} elements are not used", place, names->count(), count));
  return nullptr;
}

ArrayPtr find_names(const Group& group, std::string_view name, Context& context) {
  try {
    ArrayPtr names = find_array(group, name);
    if (!names || names->is_null()) return nullptr;
    names->check();
    if (is_text(names->dtype())) return names;
    context.notice(
        fmt::format("{}: {} is not a list of names: {}", group.path(), name, names->dtype().name()));
  } catch (const Error& error) {
    return std::make_shared<BrokenArray>(text_type(), error);
  }
  return nullptr;
}

namespace {

Elements decoded(const DType& type, const Elements& names) {
  TextBuilder texts(names.count);
  std::string name, text;
  for (uint64_t i = 0; i < names.count; ++i) {
    if (names.is_missing(i)) {
      texts.add_missing();
      continue;
    }
    name.clear();
    text.clear();
    append_plain(type, names, i, name);
    append_with_references_decoded(name, text);
    texts.add(text);
  }
  return texts.finish();
}

}  // namespace

ArrayPtr decoded_names(ArrayPtr names) {
  const DType type = names->dtype();
  if (is_broken(*names) || !is_text(type)) return names;
  return mapped(std::move(names), text_type(),
                [type](const Elements& stored, const Box&) { return decoded(type, stored); });
}

ArrayPtr some_names(ArrayPtr names) {
  const bool has_none = !names || (!is_broken(*names) && names->count() == 0);
  return has_none ? nullptr : names;
}

ArrayPtr some_decoded_names(ArrayPtr names) {
  names = some_names(std::move(names));
  return names ? decoded_names(std::move(names)) : nullptr;
}

}  // namespace plainfs::frames
