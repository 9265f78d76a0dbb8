#include "fs/text/field_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "formats/model/json.h"
#include "formats/model/utf8.h"
#include "fs/text/time_text.h"

namespace plainfs {

namespace {

template <class T>
void append_number(T value, std::string& out) {
  char text[kNumberTextMax];
  out.append(text, write_number(text, value));
}

bool is_finite(Half value) {
  return (value.bits & 0x7c00) != 0x7c00;
}
bool is_finite(float value) {
  return std::isfinite(value);
}
bool is_finite(double value) {
  return std::isfinite(value);
}

std::string_view stored_bytes(const DType& type, const Elements& elements, uint64_t i) {
  return as_text(elements.bytes).substr(i * type.size, type.size);
}

void append_hex(std::string_view bytes, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (const char c : bytes) {
    out += kHex[static_cast<unsigned char>(c) >> 4];
    out += kHex[static_cast<unsigned char>(c) & 15];
  }
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

void append_code_point(uint32_t c, std::string& out) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) throw damaged("the character U+{:X} does not exist", c);
  const int following = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static constexpr std::array<uint32_t, 4> kLead = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(kLead[following] | c >> (6 * following));
  for (int k = following - 1; k >= 0; --k) out += static_cast<char>(0x80 | (c >> (6 * k) & 0x3f));
}

void append_fixed_utf32(const DType& type, const Elements& elements, uint64_t i, std::string& out) {
  const uint64_t width = type.size / 4;
  auto units = elements.values<uint32_t>().subspan(i * width, width);
  while (!units.empty() && units.back() == 0) units = units.first(units.size() - 1);
  for (const uint32_t unit : units) append_code_point(unit, out);
}

void append_fixed_text(const DType& type, const Elements& elements, uint64_t i, std::string& out) {
  const std::string_view text = trim_padding(stored_bytes(type, elements, i), type.padding);
  if (!is_utf8(text)) throw damaged("text that is not UTF-8");
  out += text;
}

int64_t integer_value(const DType& type, const Elements& elements, uint64_t i) {
  return visit_number(type, [&](auto zero) -> int64_t {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      return static_cast<int64_t>(elements.values<T>()[i]);
    else
      throw unsupported("{} has no whole numbers", type.name());
  });
}

// Of an enumeration: the member of that value, or null.
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

constexpr int64_t kNotATime = INT64_MIN;

bool is_not_a_time(const DType& type, const Elements& elements, uint64_t i) {
  return (type.kind == Kind::time_point || type.kind == Kind::time_span) &&
         elements.values<int64_t>()[i] == kNotATime;
}

// A cell that holds any JSON value: text stands for itself, a list or an object is JSON.
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

void append_json_list(const DType& type, const Elements& items, uint64_t first, uint64_t count,
                      std::string& out) {
  out += '[';
  for (uint64_t i = 0; i < count; ++i) {
    if (i) out += ',';
    append_json(type, items, first + i, out);
  }
  out += ']';
}

// The part of an array element that begins at item first, along dims[axis] and those after it.
void append_json_array(const DType& type, size_t axis, const Elements& items, uint64_t first, uint64_t count,
                       std::string& out) {
  if (axis + 1 >= type.dims.size()) return append_json_list(*type.item, items, first, count, out);
  const uint64_t length = type.dims[axis];
  out += '[';
  for (uint64_t i = 0; i < length; ++i) {
    if (i) out += ',';
    append_json_array(type, axis + 1, items, first + i * (count / length), count / length, out);
  }
  out += ']';
}

void append_json_object(const DType& type, const Elements& elements, uint64_t i, std::string& out) {
  out += '{';
  for (size_t f = 0; f < type.fields.size(); ++f) {
    if (f) out += ',';
    write_json_text(type.fields[f].name, out);
    out += ':';
    append_json(type.fields[f].type, elements.children[f], i, out);
  }
  out += '}';
}

uint64_t item_count(const DType& array) {
  uint64_t count = 1;
  for (const uint64_t length : array.dims) count *= length;
  return count;
}

template <class T>
void append_json_number(T value, std::string& out) {
  if constexpr (!std::is_integral_v<T>) {
    if (!is_finite(value)) {
      out += '"';
      append_number(value, out);
      out += '"';
      return;
    }
  }
  append_number(value, out);
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
      visit_number(type, [&](auto zero) { append_number(elements.values<decltype(zero)>()[i], out); });
      return false;
    case Kind::boolean:
    case Kind::logical:
      out += integer_value(type, elements, i) != 0 ? "TRUE" : "FALSE";
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
    case Kind::time_span:
      append_number(elements.values<int64_t>()[i], out);
      return false;
    case Kind::fixed_text:
      append_fixed_text(type, elements, i, out);
      return true;
    case Kind::fixed_utf32:
      append_fixed_utf32(type, elements, i, out);
      return true;
    case Kind::opaque:
      append_hex(stored_bytes(type, elements, i), out);
      return true;
    case Kind::blob:
      append_hex(elements.text(i), out);
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
  throw unsupported("{} has no text", type.name());
}

void append_json(const DType& type, const Elements& elements, uint64_t i, std::string& out) {
  if (elements.is_missing(i) || is_not_a_time(type, elements, i)) {
    out += "null";
    return;
  }
  switch (type.kind) {
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
      return visit_number(type,
                          [&](auto zero) { append_json_number(elements.values<decltype(zero)>()[i], out); });
    case Kind::boolean:
    case Kind::logical:
      out += integer_value(type, elements, i) != 0 ? "true" : "false";
      return;
    case Kind::time_span:
      return append_number(elements.values<int64_t>()[i], out);
    case Kind::enumeration:
      if (const int64_t value = integer_value(type, elements, i); !member_name(type, value))
        return append_integer(type, value, out);
      break;
    case Kind::json:
      out += elements.text(i);
      return;
    case Kind::compound:
      return append_json_object(type, elements, i, out);
    case Kind::array: {
      const uint64_t count = item_count(type);
      return append_json_array(type, 0, elements.children[0], i * count, count, out);
    }
    case Kind::sequence: {
      const uint64_t first = elements.offsets[i];
      return append_json_list(*type.item, elements.children[0], first, elements.offsets[i + 1] - first, out);
    }
    default:
      break;
  }
  std::string text;
  append_plain(type, elements, i, text);
  write_json_text(text, out);
}

bool needs_quotes(std::string_view text) {
  static constexpr auto kSpecial = [] {
    std::array<bool, 256> table{};
    for (const char c : {',', '"', '\r', '\n'}) table[static_cast<unsigned char>(c)] = true;
    return table;
  }();
  if (text.empty() || text == "NA") return true;
  bool special = false;
  for (const char c : text) special |= kSpecial[static_cast<unsigned char>(c)];
  return special;
}

void append_tsv_field(const DType& type, const Elements& elements, uint64_t i, std::string& out) {
  const size_t first = out.size();
  append_plain(type, elements, i, out);
  std::replace_if(
      out.begin() + static_cast<ptrdiff_t>(first), out.end(),
      [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, ' ');
}

constexpr uint64_t kMostWidth = 1 << 20;

uint64_t typical_width(const DType& type) {
  switch (type.kind) {
    case Kind::boolean:
    case Kind::logical:
      return 6;
    case Kind::integer:
    case Kind::unsigned_integer:
      return type.size == 1 ? 3 : type.size == 2 ? 4 : 6;
    case Kind::real:
      return type.size == 8 ? 16 : type.size == 4 ? 10 : 7;
    case Kind::complex:
      return type.size == 16 ? 36 : 20;
    case Kind::enumeration:
      return 10;
    case Kind::time_point:
    case Kind::time_span:
      return 24;
    case Kind::fixed_text:
      return 1 + type.size;
    case Kind::fixed_utf32:
      return 1 + type.size / 4;
    case Kind::opaque:
      return 1 + uint64_t{2} * type.size;
    case Kind::array: {
      uint64_t width = typical_width(*type.item);
      for (const uint64_t length : type.dims)
        width = length == 0 || width > kMostWidth / length ? kMostWidth : width * length;
      return width;
    }
    case Kind::compound: {
      uint64_t width = 1;
      for (const Field& field : type.fields) width += typical_width(field.type);
      return width;
    }
    case Kind::text:
    case Kind::blob:
    case Kind::reference:
      return 24;
    case Kind::sequence:
    case Kind::json:
      return 64;
  }
  return 16;
}

}  // namespace plainfs
