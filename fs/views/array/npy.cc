#include "fs/views/array/npy.h"

#include <algorithm>
#include <optional>

#include "formats/core/base/encode.h"
#include "formats/core/text/utf8.h"
#include "fs/layout/array_segment.h"

namespace plainfs {
namespace {

// Chunks beside each other are copied row by row into a block, faster if the rows are many.
constexpr uint64_t kPartBytes = 512 * 1024;

}  // namespace

bool has_npy(const Array& array) {
  return array.dtype().fixed_size() && !array.is_null();
}

std::unique_ptr<ViewFile> npy_file(ArrayPtr array, bool with_header, Context& context) {
  return sized_file(
      [array = std::move(array), with_header, &context] {
        array->check();
        ByteLayout layout;
        if (with_header) layout.put(npy_header(*array));
        layout.put(array_segment(array, packed_form(array->dtype()), context, kPartBytes));
        return layout;
      },
      context);
}

namespace {

// Returns the unit as in numpy's dtype strings.
std::string_view unit_name(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::generic:
      return "";
    case TimeUnit::year:
      return "Y";
    case TimeUnit::month:
      return "M";
    case TimeUnit::week:
      return "W";
    case TimeUnit::day:
      return "D";
    case TimeUnit::hour:
      return "h";
    case TimeUnit::minute:
      return "m";
    case TimeUnit::second:
      return "s";
    case TimeUnit::milli:
      return "ms";
    case TimeUnit::micro:
      return "us";
    case TimeUnit::nano:
      return "ns";
    case TimeUnit::pico:
      return "ps";
    case TimeUnit::femto:
      return "fs";
    case TimeUnit::atto:
      return "as";
  }
  return "";
}

std::string number_descr(char kind, uint32_t size) {
  return fmt::format("'{}{}{}'", size == 1 ? '|' : '<', kind, size);
}

std::string time_descr(char kind, const DType& type) {
  if (type.time_unit == TimeUnit::generic) return fmt::format("'<{}8'", kind);
  const std::string count = type.time_count == 1 ? "" : std::to_string(type.time_count);
  return fmt::format("'<{}8[{}{}]'", kind, count, unit_name(type.time_unit));
}

// Returns a Python string literal. Names are UTF-8; other bytes are taken as Latin-1.
std::string python_text(std::string_view text) {
  std::string literal = "'";
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const unsigned char c = static_cast<unsigned char>(text[0]);
    if (c == '\'' || c == '\\') literal += '\\';
    if (length == 0 || c < 0x20 || c == 0x7f)
      literal += fmt::format("\\x{:02x}", c);
    else
      literal += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return literal + '\'';
}

std::string shape_text(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += fmt::format("{}{}", i ? ", " : "", shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string descr(const DType& type);

// Returns a tuple of a structured dtype: name, dtype and, for an array, its shape.
std::string field_descr(const Field& field) {
  if (field.type.kind != Kind::array)
    return fmt::format("({}, {})", python_text(field.name), descr(field.type));
  return fmt::format("({}, {}, {})", python_text(field.name), descr(*field.type.item),
                     shape_text(field.type.dims));
}

std::string descr(const DType& type) {
  switch (type.kind) {
    case Kind::boolean:
      return "'|b1'";
    case Kind::integer:
      return number_descr('i', type.size);
    case Kind::unsigned_integer:
      return number_descr('u', type.size);
    case Kind::real:
      return number_descr('f', type.size);
    case Kind::complex:
      // numpy has no complex type of two halves.
      return type.size == 4 ? "[('r', '<f2'), ('i', '<f2')]" : number_descr('c', type.size);
    case Kind::logical:
    case Kind::enumeration:
    case Kind::counted_time:
      return number_descr(type.base == Kind::unsigned_integer ? 'u'
                          : type.base == Kind::real           ? 'f'
                                                              : 'i',
                          type.size);
    case Kind::time_point:
      return time_descr('M', type);
    case Kind::time_span:
      return time_descr('m', type);
    case Kind::fixed_text:
      return fmt::format("'|S{}'", type.size);
    case Kind::fixed_utf32:
      return fmt::format("'<U{}'", type.size / 4);
    case Kind::opaque:
      return fmt::format("'|V{}'", type.size);
    case Kind::array:
      return fmt::format("({}, {})", descr(*type.item), shape_text(type.dims));
    case Kind::compound: {
      std::string fields;
      for (const Field& field : type.fields) fields += (fields.empty() ? "" : ", ") + field_descr(field);
      return "[" + fields + "]";
    }
    case Kind::text:
    case Kind::blob:
    case Kind::sequence:
    case Kind::json:
    case Kind::reference:
      break;
  }
  throw unsupported("{} cannot be stored in an .npy", type.name());
}

// Converts UTF-8 text to Latin-1; nullopt if a character is beyond it.
std::optional<std::string> latin1(std::string_view text) {
  std::string narrow;
  for (const uint32_t code : code_points(text)) {
    if (code > 0xff) return std::nullopt;
    narrow += static_cast<char>(code);
  }
  return narrow;
}

}  // namespace

std::string npy_header(const Array& array) {
  Shape shape = array.shape();
  if (array.column_major()) std::reverse(shape.begin(), shape.end());
  const DType* type = &array.dtype();
  for (; type->kind == Kind::array; type = type->item.get())
    shape.insert(shape.end(), type->dims.begin(), type->dims.end());
  const bool fortran = array.column_major() && array.shape().size() >= 2;
  std::string text = fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}", descr(*type),
                                 fortran ? "True" : "False", shape_text(shape));
  constexpr size_t kMagic = 6, kAlignment = 64;
  std::optional<std::string> narrow = latin1(text);
  char version = 1;
  if (narrow)
    text = std::move(*narrow);
  else
    version = 3;  // UTF-8
  const auto padded = [&](size_t length_bytes) {
    const size_t before = kMagic + 2 + length_bytes;
    return (before + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - before;
  };
  if (version == 1 && padded(2) > 0xffff) version = 2;
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t length = padded(length_bytes);
  std::string header = "\x93NUMPY";
  header += version;
  header += '\0';
  append_little(header, length, length_bytes);
  text.resize(length - 1, ' ');
  return header + text + '\n';
}

}  // namespace plainfs
