// Random elements of any type, and their comparison as text.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/elements/elements.h"

namespace plainfs {

using Random = std::mt19937_64;

inline Elements random_elements(const DType& type, uint64_t count, Random& random, bool with_missing = true) {
  Elements elements;
  elements.count = count;
  const auto offsets = [&](uint64_t most) {
    elements.offsets.assign(1, 0);
    for (uint64_t i = 0; i < count; ++i)
      elements.offsets.push_back(elements.offsets.back() + random() % (most + 1));
    return elements.offsets.back();
  };
  const auto fill = [&](uint64_t size) {
    elements.bytes.resize(size);
    for (std::byte& byte : elements.bytes) byte = static_cast<std::byte>(random());
  };
  switch (layout_of(type)) {
    case Layout::flat:
      fill(count * type.size);
      break;
    case Layout::heap:
      fill(offsets(5));
      break;
    case Layout::sequence:
      elements.children.push_back(random_elements(*type.item, offsets(3), random));
      break;
    case Layout::array: {
      elements.children.push_back(random_elements(*type.item, count * type.items(), random, false));
      break;
    }
    case Layout::compound:
      for (const Field& field : type.fields)
        elements.children.push_back(random_elements(field.type, count, random));
  }
  if (with_missing && random() % 2 == 0) {
    for (uint64_t i = 0; i < count; ++i) elements.missing.push_back(random() % 4 == 0);
  }
  return elements;
}

// Returns everything about element i, with bytes in hex.
inline std::string shown(const DType& type, const Elements& elements, uint64_t i) {
  const auto hex = [](std::string_view bytes) {
    std::string out;
    for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return out;
  };
  const auto items = [&](uint64_t first, uint64_t end) {
    std::string out = "[";
    for (uint64_t k = first; k < end; ++k) out += shown(*type.item, elements.children[0], k) + ",";
    return out + "]";
  };
  std::string out = elements.is_missing(i) ? "NA:" : "";
  switch (layout_of(type)) {
    case Layout::flat:
      return out + hex(as_text(elements.bytes).substr(i * type.size, type.size));
    case Layout::heap:
      return out + "'" + hex(elements.text(i)) + "'";
    case Layout::sequence:
      return out + items(elements.offsets[i], elements.offsets[i + 1]);
    case Layout::array: {
      const uint64_t length = type.items();
      return out + items(i * length, (i + 1) * length);
    }
    case Layout::compound:
      out += "{";
      for (size_t f = 0; f < type.fields.size(); ++f) {
        out += shown(type.fields[f].type, elements.children[f], i) + ";";
      }
      return out + "}";
  }
  return out;
}

inline std::vector<std::string> all_shown(const DType& type, const Elements& elements) {
  std::vector<std::string> out;
  for (uint64_t i = 0; i < elements.count; ++i) out.push_back(shown(type, elements, i));
  return out;
}

// Returns the places of the elements of a box in an array of that shape, in C order: one index at a time.
inline std::vector<uint64_t> places_in_box(const Shape& shape, const Box& box) {
  std::vector<uint64_t> places;
  Shape at(shape.size());
  for (uint64_t n = element_count(box.extent); n > 0; --n) {
    uint64_t place = 0;
    for (size_t d = 0; d < shape.size(); ++d) place = place * shape[d] + box.origin[d] + at[d];
    places.push_back(place);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < box.extent[d]) break;
      at[d] = 0;
    }
  }
  return places;
}

// Returns a box inside `shape`, sometimes empty along an axis.
inline Box random_box(const Shape& shape, Random& random) {
  Box box{Shape(shape.size()), Shape(shape.size())};
  for (size_t d = 0; d < shape.size(); ++d) {
    box.origin[d] = random() % (shape[d] + 1);
    box.extent[d] = random() % (shape[d] - box.origin[d] + 1);
    if (random() % 3 == 0) box = {box.origin, box.extent}, box.origin[d] = 0, box.extent[d] = shape[d];
  }
  return box;
}

// Returns one type of each layout, and some nested ones.
inline std::vector<DType> sample_types() {
  const DType number = number_type(Kind::integer, 4);
  DType opaque = number_type(Kind::opaque, 3);
  const DType record = packed_compound_type({{"id", number, 0}, {"name", text_type(), 0}});
  return {number_type(Kind::unsigned_integer, 1),
          number_type(Kind::integer, 2),
          number_type(Kind::real, 8),
          number_type(Kind::complex, 16),
          opaque,
          text_type(),
          sequence_type(number),
          sequence_type(text_type()),
          array_type(number, {2, 3}),
          packed_compound_type({{"a", number, 0}, {"b", number_type(Kind::real, 2), 0}}),
          record,
          sequence_type(record),
          packed_compound_type({{"x", array_type(number, {2}), 0}, {"y", sequence_type(number), 0}})};
}

}  // namespace plainfs
