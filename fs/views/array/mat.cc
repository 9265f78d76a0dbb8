#include "fs/views/array/array_files.h"

#include <algorithm>
#include <string>

#include "formats/core/base/checked.h"
#include "formats/core/base/encode.h"
#include "formats/core/model/arrays/turned_array.h"
#include "fs/layout/array_segment.h"
#include "fs/layout/element_form.h"

namespace plainfs {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{1} << 31;
constexpr std::string_view kMatVariable = "data";

// Data types (table 1-1) and array classes (table 1-3).
enum DataType : uint32_t {
  miINT8 = 1,
  miUINT8 = 2,
  miINT16 = 3,
  miUINT16 = 4,
  miINT32 = 5,
  miUINT32 = 6,
  miSINGLE = 7,
  miDOUBLE = 9,
  miINT64 = 12,
  miUINT64 = 13,
  miMATRIX = 14,
};
enum ArrayClass : uint32_t {
  mxDOUBLE = 6,
  mxSINGLE = 7,
  mxINT8 = 8,
  mxUINT8 = 9,
  mxINT16 = 10,
  mxUINT16 = 11,
  mxINT32 = 12,
  mxUINT32 = 13,
  mxINT64 = 14,
  mxUINT64 = 15,
};
constexpr uint32_t kIsLogical = 0x0200;

struct MatType {
  DataType data;
  uint32_t flags;  // the class, and whether the values are booleans
  ElementForm form;
};

MatType mat_integer_type(const DType& type) {
  const bool is_signed = type.kind == Kind::integer;
  const ElementForm form = little_stored(type);
  switch (type.size) {
    case 1:
      return {is_signed ? miINT8 : miUINT8, is_signed ? mxINT8 : mxUINT8, form};
    case 2:
      return {is_signed ? miINT16 : miUINT16, is_signed ? mxINT16 : mxUINT16, form};
    case 4:
      return {is_signed ? miINT32 : miUINT32, is_signed ? mxINT32 : mxUINT32, form};
    default:
      return {is_signed ? miINT64 : miUINT64, is_signed ? mxINT64 : mxUINT64, form};
  }
}

MatType mat_type_of(const Array& array) {
  const DType& type = array.dtype();
  if (type.kind == Kind::real && type.size == 8) return {miDOUBLE, mxDOUBLE, little_double()};
  if (type.kind == Kind::real) return {miSINGLE, mxSINGLE, little_float()};
  if (array.may_be_missing()) return {miDOUBLE, mxDOUBLE, little_double()};
  if (type.is_truth()) return {miUINT8, mxUINT8 | kIsLogical, little_stored(type)};
  return mat_integer_type(type);
}

void put_tag(uint32_t type, uint64_t bytes, std::string& out) {
  append_little(out, type, 4);
  append_little(out, bytes, 4);
}

uint64_t mat_padding(uint64_t bytes) {
  return (8 - bytes % 8) % 8;
}

std::string file_header() {
  std::string text = "MATLAB 5.0 MAT-file, the array of a store as plainfs shows it";
  text.resize(116, ' ');
  text.resize(124, '\0');  // no subsystem data
  return text + std::string("\x00\x01IM", 4);
}

Shape mat_dimensions(const Array& array) {
  Shape shape = array.shape();
  if (array.column_major()) std::reverse(shape.begin(), shape.end());
  shape.resize(std::max<size_t>(2, shape.size()), 1);
  for (const uint64_t axis : shape)
    if (axis > INT32_MAX) throw unsupported("{} rows or columns are too many for a MAT-file", axis);
  return shape;
}

}  // namespace

bool has_mat(const Array& array) {
  const DType& type = array.dtype();
  if (array.is_null() || !type.is_numeric()) return false;
  const bool has_room_for_missing = type.kind == Kind::real || (type.is_integer() && type.size < 8);
  return has_room_for_missing || !array.may_be_missing();
}

ByteLayout array_mat(const ArrayPtr& array, Context& context) {
  array->check();
  const MatType type = mat_type_of(*array);
  const uint64_t bytes = checked_multiply(array->count(), type.form.size);
  if (bytes >= kMaxBytes) throw unsupported("{} bytes are too many for a MAT-file of version 5", bytes);
  const Shape dimensions = mat_dimensions(*array);
  std::string inside;
  put_tag(miUINT32, 8, inside);
  append_little(inside, type.flags, 4);
  append_little(inside, 0, 4);
  put_tag(miINT32, 4 * dimensions.size(), inside);
  for (const uint64_t axis : dimensions) append_little(inside, axis, 4);
  inside.resize(inside.size() + mat_padding(4 * dimensions.size()), '\0');
  put_tag(miINT8, kMatVariable.size(), inside);
  inside.append(kMatVariable).append(mat_padding(kMatVariable.size()), '\0');
  put_tag(type.data, bytes, inside);
  std::string head = file_header();
  put_tag(miMATRIX, inside.size() + bytes + mat_padding(bytes), head);
  ByteLayout layout;
  layout.put(head + inside);
  layout.put(array_segment(array->shape().size() < 2 ? array : in_column_order(array), type.form, context));
  layout.put_zeros(mat_padding(bytes));
  return layout;
}

}  // namespace plainfs
