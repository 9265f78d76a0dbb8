#include "formats/core/frames/names.h"

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
    context.notice(fmt::format("{}: {} is no list of names: {}", group.path(), name, names->dtype().name()));
  } catch (const Error& error) {
    return std::make_shared<BrokenArray>(text_type(), error);
  }
  return nullptr;
}

}  // namespace plainfs::frames
