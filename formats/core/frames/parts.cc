#include "formats/core/frames/parts.h"

#include "formats/core/frames/names.h"

namespace plainfs::frames {
namespace {

ArrayPtr where(ArrayPtr array, bool (*may_be)(const Array&)) {
  return array && may_be(*array) ? array : nullptr;
}

}  // namespace

bool is_broken(const Array& array) {
  return dynamic_cast<const BrokenArray*>(&array) != nullptr;
}

ArrayPtr part_of(const Group& group, std::string_view name) {
  try {
    return find_array(group, name);
  } catch (const Error& error) {
    return std::make_shared<BrokenArray>(text_type(), error);
  }
}

GroupPtr group_part_of(const Group& group, std::string_view name) {
  try {
    return find_group(group, name);
  } catch (const Error& error) {
    if (passes(error)) throw;
    return nullptr;
  }
}

bool may_be_list(const Array& array) {
  return is_broken(array) || (array.shape().size() == 1 && !array.is_null());
}

bool may_be_text(const Array& array) {
  return may_be_list(array) && is_text(array.dtype());
}

bool may_be_names(const Array& array, uint64_t length) {
  return may_be_text(array) && (is_broken(array) || array.count() == length);
}

bool may_be_integers(const Array& array) {
  const Kind kind = array.dtype().kind;
  return is_broken(array) ||
         (may_be_list(array) && (kind == Kind::integer || kind == Kind::unsigned_integer));
}

ArrayPtr list_part_of(const Group& group, std::string_view name) {
  return where(part_of(group, name), may_be_list);
}

ArrayPtr text_part_of(const Group& group, std::string_view name) {
  return where(part_of(group, name), may_be_text);
}

ArrayPtr integer_part_of(const Group& group, std::string_view name) {
  return where(part_of(group, name), may_be_integers);
}

}  // namespace plainfs::frames
