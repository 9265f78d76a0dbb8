#include "fs/serve/h5grove/h5_values.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/core/base/half.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/number_text.h"
#include "formats/core/text/utf8.h"

namespace plainfs::serve {
namespace {

// HDF5's H5T_class_t, H5T_order_t, H5T_sign_t and H5T_cset_t.
enum H5Class : uint8_t {
  kH5Integer = 0,
  kH5Real = 1,
  kH5Text = 3,
  kH5Opaque = 5,
  kH5Compound = 6,
  kH5Reference = 7,
  kH5Enumeration = 8,
  kH5Sequence = 9,
  kH5Array = 10
};
constexpr uint64_t kUtf8 = 1;
constexpr const char* kReplacement = "\xef\xbf\xbd";  // U+FFFD
constexpr uint64_t kPointerBytes = 16;                // of a variable-length value, in the library's memory

Json::Object type_of(H5Class number, uint64_t size) {
  return {{"class", Json::of(uint64_t{number})}, {"size", Json::of(size)}};
}

Json number_json(H5Class number, uint64_t size, bool big_endian, bool is_signed) {
  Json::Object type = type_of(number, size);
  type.emplace_back("order", Json::of(uint64_t{big_endian}));
  if (number == kH5Integer) type.emplace_back("sign", Json::of(uint64_t{is_signed}));
  return type;
}

Json text_json() {
  Json::Object type = type_of(kH5Text, kPointerBytes);
  type.emplace_back("cset", Json::of(kUtf8));
  type.emplace_back("strpad", Json::of(uint64_t{0}));
  type.emplace_back("vlen", true);
  return type;
}

Json fixed_text_json(const DType& dtype) {
  Json::Object type = type_of(kH5Text, dtype.size);
  type.emplace_back("cset", Json::of(kUtf8));
  const uint64_t padding = dtype.padding == Padding::null_terminated ? 0
                           : dtype.padding == Padding::null_padded   ? 1
                                                                     : 2;
  type.emplace_back("strpad", Json::of(padding));
  type.emplace_back("vlen", false);
  return type;
}

Json enumeration_json(uint64_t size, bool big_endian, bool is_signed, Json::Object members) {
  Json::Object type = type_of(kH5Enumeration, size);
  type.emplace_back("members", std::move(members));
  type.emplace_back("base", number_json(kH5Integer, size, big_endian, is_signed));
  return type;
}

Json::Object truth_members() {
  return {{"FALSE", Json::of(uint64_t{0})}, {"TRUE", Json::of(uint64_t{1})}};
}

Json enumeration_json(const DType& dtype) {
  const bool is_signed = dtype.base != Kind::unsigned_integer;
  Json::Object members;
  if (dtype.kind == Kind::logical) {
    if (dtype.base == Kind::real) return number_json(kH5Real, dtype.size, dtype.big_endian, true);
    members = truth_members();
    members.emplace_back("NA", Json::of(uint64_t{kH5NotAvailable}));
  }
  for (const EnumMember& member : dtype.members)
    members.emplace_back(member.name,
                         is_signed ? Json::of(member.value) : Json::of(static_cast<uint64_t>(member.value)));
  return enumeration_json(dtype.size, dtype.big_endian, is_signed, std::move(members));
}

Json named(const std::string& name, Json type) {
  type.object()->insert(type.object()->begin(), {"name", name});
  return type;
}

Json compound_json(const DType& dtype) {
  Json::List members;
  if (dtype.kind == Kind::complex)
    for (const char* const part : {"r", "i"})
      members.push_back(named(part, number_json(kH5Real, dtype.size / 2, dtype.big_endian, true)));
  for (const Field& field : dtype.fields) members.push_back(named(field.name, h5_type(field.type)));
  Json::Object type = type_of(kH5Compound, dtype.size);
  type.emplace_back("members", std::move(members));
  return type;
}

Json nested_json(const DType& dtype) {
  Json::Object type = type_of(dtype.kind == Kind::array ? kH5Array : kH5Sequence,
                              dtype.kind == Kind::array ? dtype.size : kPointerBytes);
  if (dtype.kind == Kind::array) {
    Json::List dims;
    for (const uint64_t length : dtype.dims) dims.push_back(Json::of(length));
    type.emplace_back("dims", std::move(dims));
  }
  type.emplace_back("base", dtype.item ? h5_type(*dtype.item) : number_json(kH5Integer, 1, false, false));
  return type;
}

template <class T>
void append_json_number(T value, std::string& out) {
  const auto number = plain_number(value);
  if constexpr (!std::is_integral_v<T>)
    if (!std::isfinite(number)) {
      out += "null";
      return;
    }
  append_number(number, out);
}

// H5Web refuses an array of texts if the first is null.
bool is_shown_as_text(const DType& type) {
  return type.is_text() || type.kind == Kind::fixed_utf32 || type.kind == Kind::time_point ||
         type.kind == Kind::counted_time;
}

void append_text(const DType& type, const Elements& elements, uint64_t i, std::string& out) {
  std::string text = plain_text(type, elements, i);
  // One of several bytes of a letter, where each byte is an element.
  if (type.kind == Kind::fixed_text && type.size == 1 && !is_utf8(text)) text = kReplacement;
  check_utf8(std::string_view(text));
  write_json_text(text, out);
}

void append_numbers(const DType& type, const Elements& elements, uint64_t first, uint64_t count,
                    std::string& out) {
  visit_number(type, [&](auto zero) {
    const auto values = elements.values<decltype(zero)>();
    for (uint64_t i = 0; i < count; ++i) {
      if (i > 0) out += ',';
      append_json_number(values[first + i], out);
    }
  });
}

template <class Append>
void append_list(uint64_t count, std::string& out, Append&& append) {
  out += '[';
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    append(i);
  }
  out += ']';
}

// Appends items of children[0], along dims[axis] and the axes after it.
void append_nested(const DType& type, size_t axis, const Elements& items, uint64_t first, uint64_t count,
                   std::string& out) {
  if (axis == type.dims.size()) return append_h5_value(*type.item, items, first, out);
  const uint64_t length = type.dims[axis];
  append_list(length, out, [&](uint64_t i) {
    append_nested(type, axis + 1, items, first + i * (count / length), count / length, out);
  });
}

// The type of one value of an attribute.
enum class Scalar { whole, real, truth, text, none };

Scalar scalar_of(const Json& value) {
  if (value.text()) return Scalar::text;
  if (value.boolean()) return Scalar::truth;
  if (!value.number()) return Scalar::none;
  return value.as_int64() || value.as_uint64() ? Scalar::whole : Scalar::real;
}

// Descends into lists of equal lengths and finds their shape and the common type of all values.
struct ListShape {
  std::vector<uint64_t> shape;
  std::optional<Scalar> kind{};
  bool is_unsigned = false;  // has a number beyond int64
  bool is_alike = true;

  void look_at(const Json& value, size_t depth, bool is_first) {
    if (const Json::List* const list = value.list()) {
      if (is_first && depth == shape.size() && !kind) shape.push_back(list->size());
      if (depth >= shape.size() || shape[depth] != list->size()) is_alike = false;
      for (size_t i = 0; i < list->size() && is_alike; ++i)
        look_at((*list)[i], depth + 1, is_first && i == 0);
      return;
    }
    if (depth != shape.size()) is_alike = false;
    const Scalar found = scalar_of(value);
    if (found == Scalar::none) is_alike = false;
    if (found == Scalar::whole && !value.as_int64()) is_unsigned = true;
    if (!kind) kind = found;
    const bool are_numbers = (*kind == Scalar::whole || *kind == Scalar::real) &&
                             (found == Scalar::whole || found == Scalar::real);
    if (are_numbers && found == Scalar::real) kind = Scalar::real;
    if (!are_numbers && found != *kind) is_alike = false;
  }
};

Json type_json(Scalar kind, bool is_unsigned) {
  switch (kind) {
    case Scalar::whole:
      return number_json(kH5Integer, 8, false, !is_unsigned);
    case Scalar::real:
      return number_json(kH5Real, 8, false, true);
    case Scalar::truth:
      return enumeration_json(1, false, true, truth_members());
    case Scalar::text:
    case Scalar::none:
      break;
  }
  return text_json();
}

// Returns the value with null for numbers that JSON cannot represent.
Json finite(const Json& value) {
  if (const Json::List* const list = value.list()) {
    Json::List all;
    for (const Json& item : *list) all.push_back(finite(item));
    return all;
  }
  if (value.number() && !std::isfinite(value.as_double().value_or(0))) return nullptr;
  return value;
}

}  // namespace

Json h5_type(const DType& type) {
  switch (type.kind) {
    case Kind::boolean:
      return enumeration_json(1, false, true, truth_members());
    case Kind::integer:
    case Kind::unsigned_integer:
      return number_json(kH5Integer, type.size, type.big_endian, type.kind == Kind::integer);
    case Kind::time_span:
      return number_json(kH5Integer, 8, type.big_endian, true);
    case Kind::real:
      return number_json(kH5Real, type.size, type.big_endian, true);
    case Kind::logical:
    case Kind::enumeration:
      return enumeration_json(type);
    case Kind::complex:
    case Kind::compound:
      return compound_json(type);
    case Kind::fixed_text:
      return fixed_text_json(type);
    case Kind::opaque: {
      Json::Object opaque = type_of(kH5Opaque, type.size);
      opaque.emplace_back("tag", "");
      return opaque;
    }
    case Kind::array:
    case Kind::sequence:
    case Kind::blob:
      return nested_json(type);
    case Kind::reference:
      return type_of(kH5Reference, 8);
    case Kind::time_point:
    case Kind::counted_time:
    case Kind::fixed_utf32:
    case Kind::text:
    case Kind::json:
      break;
  }
  return text_json();
}

void append_h5_value(const DType& type, const Elements& elements, uint64_t i, std::string& out) {
  if (elements.is_missing(i)) {
    out += is_shown_as_text(type) ? "\"NA\"" : "null";
    return;
  }
  switch (type.kind) {
    case Kind::boolean:
      out += elements.values<uint8_t>()[i] != 0 ? "true" : "false";
      return;
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
    case Kind::time_span:
    case Kind::logical:
    case Kind::enumeration:
      return append_numbers(type, elements, i, 1, out);
    case Kind::complex:
      out += '[';
      append_numbers(number_type(Kind::real, type.size / 2), elements, 2 * i, 2, out);
      out += ']';
      return;
    case Kind::compound:
      return append_list(type.fields.size(), out, [&](uint64_t f) {
        append_h5_value(type.fields[f].type, elements.children[f], i, out);
      });
    case Kind::array:
      return append_nested(type, 0, elements.children[0], i * type.items(), type.items(), out);
    case Kind::sequence:
      return append_list(elements.offsets[i + 1] - elements.offsets[i], out, [&](uint64_t item) {
        append_h5_value(*type.item, elements.children[0], elements.offsets[i] + item, out);
      });
    case Kind::blob: {
      const std::string_view bytes = elements.text(i);
      return append_list(bytes.size(), out, [&](uint64_t at) {
        append_json_number(static_cast<uint32_t>(static_cast<unsigned char>(bytes[at])), out);
      });
    }
    case Kind::time_point:
    case Kind::counted_time:
    case Kind::fixed_text:
    case Kind::fixed_utf32:
    case Kind::opaque:
    case Kind::text:
    case Kind::json:
    case Kind::reference:
      break;
  }
  append_text(type, elements, i, out);
}

H5Attribute h5_attribute(const Json& value) {
  if (value.is_null()) return {nullptr, text_json(), nullptr};
  ListShape lists;
  lists.look_at(value, 0, true);
  if (!lists.is_alike) return {Json::List{}, text_json(), to_json_text(value)};
  Json::List shape;
  for (const uint64_t length : lists.shape) shape.push_back(Json::of(length));
  return {std::move(shape), type_json(lists.kind.value_or(Scalar::real), lists.is_unsigned), finite(value)};
}

}  // namespace plainfs::serve
