#include "formats/core/frames/decoded_names.h"

#include "formats/core/frames/names.h"
#include "formats/core/frames/parts.h"
#include "formats/core/model/derived_array.h"
#include "formats/core/model/element_text.h"
#include "formats/core/text/character_references.h"

namespace plainfs::frames {
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
