#include "formats/core/model/elements/element_text.h"

#include <cmath>
#include <type_traits>

#include "formats/core/base/bytes.h"
#include "formats/core/model/arrays/counted_times.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/model/elements/time_text.h"
#include "formats/core/text/number_text.h"
#include "formats/core/text/utf8.h"

namespace plainfs {

namespace {

template <class T>
bool is_finite(T value) {
  if constexpr (std::is_integral_v<T>)
    return true;
  else
    return std::isfinite(plain_number(value));
}

ByteSpan stored_bytes(const DType& type, const Elements& elements, uint64_t i) {
  return ByteSpan(elements.bytes).subspan(i * type.size, type.size);
}

std::string_view fixed_text(const DType& type, const Elements& elements, uint64_t i) {
  return trim_padding(as_text(stored_bytes(type, elements, i)), type.padding);
}

template <class T>
void append_complex_parts(const Elements& elements, uint64_t i, std::string& out) {
  const auto parts = elements.values<T>().subspan(2 * i, 2);
  append_number(parts[0], out);
  const size_t at = out.size();
  append_number(parts[1], out);
  if (out[at] != '-') out.insert(at, 1, '+');
  out += 'i';
}

void append_complex(const DType& type, const Elements& elements, uint64_t i, std::string& out) {
  visit_number(number_type(Kind::real, type.size / 2),
               [&](auto zero) { append_complex_parts<decltype(zero)>(elements, i, out); });
}

void append_fixed_utf32(const DType& type, const Elements& elements, uint64_t i, std::string& out) {
  const uint64_t width = type.size / 4;
  auto units = elements.values<uint32_t>().subspan(i * width, width);
  while (!units.empty() && units.back() == 0) units = units.first(units.size() - 1);
  for (const uint32_t unit : units) append_utf8(unit, out);
}

int64_t integer_value(const DType& type, const Elements& elements, uint64_t i) {
  return visit_number(type, [&](auto zero) -> int64_t {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      return static_cast<int64_t>(elements.values<T>()[i]);
    else
      throw unsupported("{} is not an integer type", type.name());
  });
}

bool truth(const DType& type, const Elements& elements, uint64_t i) {
  return visit_number(
      type, [&](auto zero) { return number_cast<double>(elements.values<decltype(zero)>()[i]) != 0; });
}

// Returns the name of the enumeration member with that value, or null.
const std::string* member_name(const DType& type, int64_t value) {
  for (const EnumMember& member : type.members)
    if (member.value == value) return &member.name;
  return nullptr;
}

void append_integer(const DType& type, int64_t value, std::string& out) {
  if (type.base == Kind::unsigned_integer)
    append_number(static_cast<uint64_t>(value), out);
  else
    append_number(value, out);
}

bool is_not_a_time(const DType& type, const Elements& elements, uint64_t i) {
  return (type.kind == Kind::time_point || type.kind == Kind::time_span) &&
         elements.values<int64_t>()[i] == kNotATime;
}

// Appends a cell that contains any JSON value: text without quotes, a list or an object as JSON.
bool append_json_cell(std::string_view cell, std::string& out) {
  if (cell.starts_with('[') || cell.starts_with('{')) {
    out += cell;
    return true;
  }
  const Json value = parse_json(cell);
  if (value.text())
    out += *value.text();
  else if (value.is_null())
    out += "NA";
  else if (value.boolean())
    out += *value.boolean() ? "TRUE" : "FALSE";
  else if (const double number = value.as_double().value_or(0); !std::isfinite(number))
    append_number(number, out);
  else
    write_json(value, out);
  return value.text() != nullptr;
}

// The target of make(): JSON text, written as it goes.
class TextMaker {
 public:
  using Value = void;
  explicit TextMaker(std::string& out) : out_(out) {}

  void null() { out_ += "null"; }
  void truth(bool value) { out_ += value ? "true" : "false"; }
  template <class T>
  void number(T value) {
    if (is_finite(value))
      append_number(value, out_);
    else
      write_json(Json::of(number_cast<double>(value)), out_);
  }
  void text(std::string_view value) {
    check_utf8(value);
    write_json_text(value, out_);
  }
  void json(std::string_view value) {
    if (value.ends_with("Infinity"))  // a bare one: text would end with a quote
      write_json(parse_json(value), out_);
    else
      out_ += value;
  }
  template <class MakeItem>
  void list(uint64_t count, MakeItem&& make_item) {
    out_ += '[';
    for (uint64_t i = 0; i < count; ++i) {
      if (i) out_ += ',';
      make_item(i);
    }
    out_ += ']';
  }
  template <class MakeField>
  void object(const std::vector<Field>& fields, MakeField&& make_field) {
    out_ += '{';
    for (size_t i = 0; i < fields.size(); ++i) {
      if (i) out_ += ',';
      text(fields[i].name);
      out_ += ':';
      make_field(i);
    }
    out_ += '}';
  }

 private:
  std::string& out_;
};

// The target of make() that builds a Json.
class TreeMaker {
 public:
  using Value = Json;

  Json null() { return nullptr; }
  Json truth(bool value) { return value; }
  template <class T>
  Json number(T value) {
    if (!is_finite(value)) return Json::of(number_cast<double>(value));
    std::string token;
    append_number(value, token);
    return Json::Number{std::move(token)};
  }
  Json text(std::string_view value) { return value; }
  Json json(std::string_view value) { return parse_json(value); }
  template <class MakeItem>
  Json list(uint64_t count, MakeItem&& make_item) {
    JsonList list;
    for (uint64_t i = 0; i < count; ++i) list.add(make_item(i));
    return list.take();
  }
  template <class MakeField>
  Json object(const std::vector<Field>& fields, MakeField&& make_field) {
    Json::Object object;
    for (size_t i = 0; i < fields.size(); ++i) object.emplace_back(fields[i].name, make_field(i));
    return object;
  }
};

template <class Maker>
typename Maker::Value make(const DType& type, const Elements& elements, uint64_t i, Maker& maker);

// Makes the part of an array element that begins at item `first`, along dims[axis] and the axes after it.
template <class Maker>
typename Maker::Value make_array(const DType& type, size_t axis, const Elements& items, uint64_t first,
                                 uint64_t count, Maker& maker) {
  if (axis == type.dims.size()) return make(*type.item, items, first, maker);
  const uint64_t length = type.dims[axis];
  return maker.list(length, [&](uint64_t i) {
    return make_array(type, axis + 1, items, first + i * (count / length), count / length, maker);
  });
}

template <class Maker>
typename Maker::Value make_enumeration(const DType& type, int64_t value, Maker& maker) {
  if (const std::string* name = member_name(type, value)) return maker.text(*name);
  return type.base == Kind::unsigned_integer ? maker.number(static_cast<uint64_t>(value))
                                             : maker.number(value);
}

template <class Maker>
typename Maker::Value make(const DType& type, const Elements& elements, uint64_t i, Maker& maker) {
  if (elements.is_missing(i) || is_not_a_time(type, elements, i)) return maker.null();
  switch (type.kind) {
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
    case Kind::time_span:
      return visit_number(type,
                          [&](auto zero) { return maker.number(elements.values<decltype(zero)>()[i]); });
    case Kind::boolean:
    case Kind::logical:
      return maker.truth(truth(type, elements, i));
    case Kind::enumeration:
      return make_enumeration(type, integer_value(type, elements, i), maker);
    case Kind::fixed_text:
      return maker.text(fixed_text(type, elements, i));
    case Kind::text:
    case Kind::reference:
      return maker.text(elements.text(i));
    case Kind::json:
      return maker.json(elements.text(i));
    case Kind::compound:
      return maker.object(
          type.fields, [&](size_t f) { return make(type.fields[f].type, elements.children[f], i, maker); });
    case Kind::array:
      return make_array(type, 0, elements.children[0], i * type.items(), type.items(), maker);
    case Kind::sequence: {
      const uint64_t first = elements.offsets[i];
      return maker.list(elements.offsets[i + 1] - first, [&](uint64_t item) {
        return make(*type.item, elements.children[0], first + item, maker);
      });
    }
    case Kind::counted_time:
      if (const double number = counted_number(type, elements, i); !std::isfinite(number))
        return maker.number(number);
      break;
    case Kind::complex:
    case Kind::time_point:
    case Kind::fixed_utf32:
    case Kind::opaque:
    case Kind::blob:
      break;
  }
  return maker.text(plain_text(type, elements, i));
}

}  // namespace

bool append_plain(const DType& type, const Elements& elements, uint64_t i, std::string& out) {
  if (elements.is_missing(i) || is_not_a_time(type, elements, i)) {
    out += "NA";
    return false;
  }
  switch (type.kind) {
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
    case Kind::time_span:
      visit_number(type, [&](auto zero) { append_number(elements.values<decltype(zero)>()[i], out); });
      return false;
    case Kind::boolean:
    case Kind::logical:
      out += truth(type, elements, i) ? "TRUE" : "FALSE";
      return false;
    case Kind::complex:
      append_complex(type, elements, i, out);
      return false;
    case Kind::enumeration: {
      const int64_t value = integer_value(type, elements, i);
      const std::string* name = member_name(type, value);
      if (name)
        out += *name;
      else
        append_integer(type, value, out);
      return name != nullptr;
    }
    case Kind::time_point:
      append_time(type, elements.values<int64_t>()[i], out);
      return false;
    case Kind::counted_time:
      append_counted_time(type, counted_number(type, elements, i), out);
      return false;
    case Kind::fixed_text:
      out += fixed_text(type, elements, i);
      return true;
    case Kind::fixed_utf32:
      append_fixed_utf32(type, elements, i, out);
      return true;
    case Kind::opaque:
      append_hex(stored_bytes(type, elements, i), out);
      return true;
    case Kind::blob:
      append_hex(as_byte_span(elements.text(i)), out);
      return true;
    case Kind::text:
    case Kind::reference:
      out += elements.text(i);
      return true;
    case Kind::json:
      return append_json_cell(elements.text(i), out);
    case Kind::compound:
    case Kind::array:
    case Kind::sequence:
      append_json(type, elements, i, out);
      return true;
  }
  throw unsupported("{} cannot be shown as text", type.name());
}

void append_json(const DType& type, const Elements& elements, uint64_t i, std::string& out) {
  TextMaker maker(out);
  make(type, elements, i, maker);
}

Json json_of(const DType& type, const Elements& elements, uint64_t i) {
  TreeMaker maker;
  return make(type, elements, i, maker);
}

}  // namespace plainfs
