#include "formats/core/cf/characters.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/text/ascii.h"

namespace plainfs {
namespace {

Shape without_last(Shape shape) {
  shape.pop_back();
  return shape;
}

// Returns fixed-length text. NULs fill the rest of a shorter text.
DType text_of_size(uint64_t size) {
  if (size > UINT32_MAX) throw unsupported("a text of {} characters", size);
  DType type;
  type.kind = Kind::fixed_text;
  type.size = static_cast<uint32_t>(size);
  return type;
}

// Texts with each character as an element of an array.
class JoinedText : public DerivedArray {
 public:
  explicit JoinedText(const ArrayPtr& characters)
      : DerivedArray(characters, text_of_size(characters->shape().back()), without_last(characters->shape()),
                     false) {}
  Shape chunk_shape() const override { return without_last(values().chunk_shape()); }

 private:
  Box stored_box(const Box& box) const override {
    Box stored = box;
    stored.origin.push_back(0);
    stored.extent.push_back(dtype().size);
    return stored;
  }
  Elements derived(Elements stored, const Box&) const override {
    // A single character represents all of them.
    if (stored.count == 1) stored = repeated_element(values().dtype(), stored, dtype().size);
    stored.count /= dtype().size;
    return stored;
  }
};

bool is_word_of_texts(const std::string& name) {
  const std::string lower = lower_case(name);
  const auto contains = [&](const char* word) { return lower.find(word) != std::string::npos; };
  return contains("str") || contains("char") || contains("len");
}

// Returns whether name is like "string8", xarray's name for the axis of bytes of that width. xarray marks
// text by _Encoding.
bool is_width_of_bytes(const std::string& name) {
  constexpr std::string_view kPrefix = "string";
  return name.starts_with(kPrefix) && std::all_of(name.begin() + kPrefix.size(), name.end(),
                                                  [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Returns whether the last axis is named like the length of a text. Otherwise an array of single characters
// in Zarr may be just that (alleles of variants).
bool is_named_as_text(const Attributes& attributes) {
  for (const char* dimensions : {"_ARRAY_DIMENSIONS", "dimension_names"})
    if (const std::vector<std::string> names = attributes.texts(dimensions); !names.empty())
      return is_word_of_texts(names.back()) && !is_width_of_bytes(names.back());
  return false;
}

}  // namespace

bool may_be_texts(const Array& array) {
  return array.dtype().kind == Kind::fixed_text && array.dtype().size == 1 && array.shape().size() >= 2 &&
         array.shape().back() > 0;
}

bool are_marked_as_texts(const Attributes& attributes) {
  return attributes.find("_Encoding") || is_named_as_text(attributes);
}

ArrayPtr joined_text(const ArrayPtr& characters) {
  return std::make_shared<JoinedText>(characters);
}

}  // namespace plainfs
