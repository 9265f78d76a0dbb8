#include "formats/core/pickle/pickle_text.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "formats/core/base/bytes.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/model/elements/object_text.h"
#include "formats/core/model/elements/time_text.h"
#include "formats/core/text/json.h"
#include "formats/core/text/number_text.h"
#include "formats/core/text/utf8.h"

namespace plainfs {
namespace {

constexpr int kMaxDepth = 128;

// The budget is a multiple of the pickle's size: Python writes a shared value once, but every element of an
// array may be the same value.
constexpr uint64_t kTimesWhole = 128;
constexpr uint64_t kTimesElement = 16;
constexpr uint64_t kLongestTime = 64;  // approximate: a year may have thirty digits
constexpr uint64_t kLeastWhole = uint64_t{16} << 20;
constexpr uint64_t kLeastElement = uint64_t{64} << 10;

template <class T>
std::string_view number_text(T value, char (&digits)[kNumberTextMax]) {
  return {digits, static_cast<size_t>(write_number(digits, value) - digits)};
}

template <class T>
void write_json_number(T value, std::string& out) {
  char digits[kNumberTextMax];
  bool quoted = false;
  if constexpr (!std::is_integral_v<T>) quoted = !std::isfinite(number_cast<double>(value));
  if (quoted) out += '"';
  out += number_text(value, digits);
  if (quoted) out += '"';
}

template <class T>
void write_complex(const std::byte* at, bool big_endian, std::string& out) {
  char digits[kNumberTextMax];
  out += '"';
  out += number_text(load_stored<T>(at, big_endian), digits);
  const std::string_view imaginary = number_text(load_stored<T>(at + sizeof(T), big_endian), digits);
  if (!imaginary.starts_with('-')) out += '+';
  out += imaginary;
  out += "i\"";
}

std::string utf32_text(ByteSpan stored, bool big_endian) {
  std::string out;
  while (stored.size() >= 4 && load_little<uint32_t>(stored.data() + stored.size() - 4) == 0)
    stored = stored.first(stored.size() - 4);
  for (size_t i = 0; i + 4 <= stored.size(); i += 4)
    append_utf8(load_stored<uint32_t>(stored.data() + i, big_endian), out);
  return out;
}

// Returns whether `text` is its own JSON form except for the quotes.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; });
}

// Returns whether a dict has few keys, all of them texts and different.
bool has_distinct_texts(const std::vector<PickleValue>& items) {
  constexpr size_t kFew = 8;
  if (items.size() > 2 * kFew) return false;
  for (size_t i = 0; i < items.size(); i += 2) {
    if (items[i].kind != PickleKind::text) return false;
    for (size_t k = 0; k < i; k += 2)
      if (items[k].text() == items[i].text()) return false;
  }
  return true;
}

}  // namespace

ByteSpan element_bytes(const PickleArray& array, uint64_t i) {
  uint64_t at = i;
  if (array.fortran && array.shape.size() > 1) {
    at = 0;
    uint64_t stride = 1;
    // The last axis varies fastest in i, the first one in the bytes.
    std::vector<uint64_t> place(array.shape.size());
    for (size_t d = array.shape.size(); d-- > 0; i /= array.shape[d]) place[d] = i % array.shape[d];
    for (size_t d = 0; d < array.shape.size(); stride *= array.shape[d++]) at += place[d] * stride;
  }
  const uint64_t size = array.type->type.size;
  return array.data.bytes().subspan(at * size, size);
}

PickleText::PickleText(const PickleHeap& heap, uint64_t pickle_bytes)
    : heap_(heap),
      max_an_element_(pickle_bytes * kTimesElement + kLeastElement),
      left_(pickle_bytes * kTimesWhole + kLeastWhole),
      element_left_(0) {}

void PickleText::write(const PickleValue& value, std::string& out) {
  element_left_ = max_an_element_;
  write_value(value, out, 0);
}

void PickleText::write_element(const PickleArray& array, uint64_t i, std::string& out) {
  element_left_ = max_an_element_;
  write_item(array, i, out, 0);
}

void PickleText::spend(uint64_t bytes) {
  if (bytes > left_ || bytes > element_left_)
    throw damaged("the pickle's shared values are too large as text");
  left_ -= bytes;
  element_left_ -= bytes;
}

void PickleText::write_value(const PickleValue& value, std::string& out, int depth) {
  if (depth > kMaxDepth) throw damaged("the pickle is nested deeper than {} or contains itself", kMaxDepth);
  spend(8);
  switch (value.kind) {
    case PickleKind::none:
      out += "null";
      return;
    case PickleKind::boolean:
      out += value.integer ? "true" : "false";
      return;
    case PickleKind::integer:
      return write_json_number(value.integer, out);
    case PickleKind::number:
      spend(value.size);
      out += value.text();
      return;
    case PickleKind::real:
      return write_json_number(value.real, out);
    case PickleKind::text:
      return write_text(value.text(), out);
    case PickleKind::bytes:
      spend(value.size * 2);
      out += '"';
      append_hex(value.bytes(), out);
      out += '"';
      return;
    case PickleKind::list:
    case PickleKind::tuple:
      return write_list(heap_.items(value), out, depth);
    case PickleKind::dict:
      return write_dict(heap_.items(value), out, depth);
    case PickleKind::array: {
      const PickleArray& array = heap_.arrays[value.index];
      if (!array.type) throw damaged("the pickle has an array without data");
      return write_array(array, 0, 0, out, depth);
    }
    case PickleKind::dtype:
    case PickleKind::function:
      break;
  }
  throw damaged("the pickle has a type or function, expected data");
}

void PickleText::write_text(std::string_view text, std::string& out) {
  spend(text.size());
  if (!is_utf8(text)) throw damaged("the pickle has a text that is not UTF-8");
  if (!is_plain(text)) return write_json_text(text, out);
  out += '"';
  out += text;
  out += '"';
}

void PickleText::write_list(const std::vector<PickleValue>& items, std::string& out, int depth) {
  out += '[';
  for (size_t i = 0; i < items.size(); ++i) {
    if (i) out += ',';
    write_value(items[i], out, depth + 1);
  }
  out += ']';
}

// Appends a key. A key that is not a text becomes its JSON text. Containers are rejected: quoting quoted text
// doubles its size.
void PickleText::write_key(const PickleValue& key, std::string& out) {
  if (key.kind > PickleKind::bytes) throw damaged("the pickle has a key that is neither a text nor a number");
  std::string text;
  write_value(key, text, 0);
  if (text.starts_with('"'))
    out += text;
  else
    write_json_text(text, out);
}

void PickleText::write_dict(const std::vector<PickleValue>& items, std::string& out, int depth) {
  if (!has_distinct_texts(items)) return write_dict_with_repeats(items, out, depth);
  out += '{';
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (i) out += ',';
    write_text(items[i].text(), out);
    out += ':';
    write_value(items[i + 1], out, depth + 1);
  }
  out += '}';
}

// A repeated key replaces the value of the first one, as in Python.
void PickleText::write_dict_with_repeats(const std::vector<PickleValue>& items, std::string& out, int depth) {
  std::vector<std::string> keys;
  std::vector<size_t> values;
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    std::string key;
    write_key(items[i], key);
    const auto [place, is_new] = places.try_emplace(key, keys.size());
    if (is_new) {
      keys.push_back(std::move(key));
      values.push_back(i + 1);
    } else {
      values[place->second] = i + 1;
    }
  }
  out += '{';
  for (size_t k = 0; k < keys.size(); ++k) {
    if (k) out += ',';
    out += keys[k];
    out += ':';
    write_value(items[values[k]], out, depth + 1);
  }
  out += '}';
}

// Appends the part of `array` that begins at element `first` and spans `axis` and the axes after it.
void PickleText::write_array(const PickleArray& array, size_t axis, uint64_t first, std::string& out,
                             int depth) {
  if (depth > kMaxDepth) throw damaged("the pickle is nested deeper than {}", kMaxDepth);
  if (axis == array.shape.size()) return write_item(array, first, out, depth);
  uint64_t stride = 1;
  for (size_t d = axis + 1; d < array.shape.size(); ++d) stride *= array.shape[d];
  out += '[';
  for (uint64_t i = 0; i < array.shape[axis]; ++i) {
    spend(1);
    if (i) out += ',';
    write_array(array, axis + 1, first + i * stride, out, depth + 1);
  }
  out += ']';
}

void PickleText::write_item(const PickleArray& array, uint64_t i, std::string& out, int depth) {
  if (array.type->has_objects)
    return write_member(array.type->type, heap_.items(array.data)[i], out, depth + 1);
  write_stored(array.type->type, element_bytes(array, i).data(), out);
}

// Appends a value of an array or record that has a type with objects. numpy pickles a float32 in it as
// Python's float.
void PickleText::write_member(const DType& type, const PickleValue& value, std::string& out, int depth) {
  if (value.kind == PickleKind::real && type.kind == Kind::real) {
    spend(8);
    visit_number(type, [&](auto kind) { write_json_number(number_cast<decltype(kind)>(value.real), out); });
  } else if (value.kind == PickleKind::tuple && type.kind == Kind::compound &&
             heap_.items(value).size() == type.fields.size()) {
    spend(8);
    out += '[';
    for (size_t f = 0; f < type.fields.size(); ++f) {
      if (f) out += ',';
      write_member(type.fields[f].type, heap_.items(value)[f], out, depth + 1);
    }
    out += ']';
  } else {
    write_value(value, out, depth);
  }
}

void PickleText::write_time(const DType& type, int64_t count, std::string& out) {
  spend(kLongestTime);
  if (count == kNotATime) {
    out += "null";
  } else if (type.kind == Kind::time_span) {
    write_json_number(count, out);
  } else {
    out += '"';
    append_time(type, count, out);
    out += '"';
  }
}

void PickleText::write_stored(const DType& type, const std::byte* at, std::string& out) {
  spend(8 + uint64_t{type.size});
  const ByteSpan bytes(at, type.size);
  switch (type.kind) {
    case Kind::boolean:
      out += *at != std::byte{0} ? "true" : "false";
      return;
    case Kind::complex:
      return type.size == 8 ? write_complex<float>(at, type.big_endian, out)
                            : write_complex<double>(at, type.big_endian, out);
    case Kind::fixed_text:
      return write_text(trim_padding(as_text(bytes), type.padding), out);
    case Kind::fixed_utf32:
      return write_text(utf32_text(bytes, type.big_endian), out);
    case Kind::opaque:
      out += '"';
      append_hex(bytes, out);
      out += '"';
      return;
    case Kind::compound:
      out += '[';
      for (const Field& field : type.fields) {
        if (&field != type.fields.data()) out += ',';
        write_stored(field.type, at + field.offset, out);
      }
      out += ']';
      return;
    case Kind::array: {
      const PickleArray inner{std::make_shared<const PickleType>(PickleType{*type.item, false}), type.dims,
                              false, PickleValue::of_text(PickleKind::bytes, as_text(bytes))};
      return write_array(inner, 0, 0, out, 0);
    }
    case Kind::time_point:
    case Kind::time_span:
      return write_time(type, load_stored<int64_t>(at, type.big_endian), out);
    default:
      break;
  }
  visit_number(type,
               [&](auto kind) { write_json_number(load_stored<decltype(kind)>(at, type.big_endian), out); });
}

}  // namespace plainfs
