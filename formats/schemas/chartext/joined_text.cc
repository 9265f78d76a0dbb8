#include "formats/schemas/chartext/joined_text.h"

#include "formats/core/model/derived_array.h"

namespace plainfs::chartext {
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

}  // namespace

ArrayPtr joined_text(ArrayPtr characters) {
  return std::make_shared<JoinedText>(characters);
}

}  // namespace plainfs::chartext
