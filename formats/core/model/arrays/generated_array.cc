#include "formats/core/model/arrays/generated_array.h"

#include <algorithm>
#include <numeric>

namespace plainfs {
namespace {

// No part is cheaper to read than another. This bounds what a reader asks for at once.
Shape generated_chunk(const Shape& shape) {
  constexpr uint64_t kElements = 1 << 16;
  Shape chunk(shape.size(), 1);
  if (!chunk.empty()) chunk.back() = std::clamp<uint64_t>(shape.back(), 1, kElements);
  return chunk;
}

class GeneratedArray : public Array {
 public:
  GeneratedArray(DType dtype, Shape shape, std::function<Elements(const Box&)> elements)
      : Array(std::move(dtype), std::move(shape)), elements_(std::move(elements)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    return elements_(box);
  }
  Shape chunk_shape() const override { return generated_chunk(shape()); }
  bool may_be_missing() const override { return false; }

 private:
  const std::function<Elements(const Box&)> elements_;
};

class CountingArray : public Array {
 public:
  explicit CountingArray(uint64_t count)
      : Array(number_type(Kind::unsigned_integer, sizeof(uint64_t)), {count}) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements numbers = zero_elements(dtype(), box.extent[0]);
    const auto values = numbers.mutable_values<uint64_t>();
    std::iota(values.begin(), values.end(), box.origin[0]);
    return numbers;
  }
  Shape chunk_shape() const override { return generated_chunk(shape()); }
  bool may_be_missing() const override { return false; }
};

class ConstantArray : public Array {
 public:
  ConstantArray(DType dtype, Shape shape, Elements element)
      : Array(std::move(dtype), std::move(shape)), element_(std::move(element)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    return repeated_element(dtype(), element_, element_count(box.extent));
  }
  std::optional<Elements> repeated(const Box&) const override { return element_; }
  Shape chunk_shape() const override { return generated_chunk(shape()); }
  bool may_be_missing() const override { return element_.is_missing(0); }

 private:
  const Elements element_;
};

}  // namespace

ArrayPtr generated(DType dtype, Shape shape, std::function<Elements(const Box& box)> elements) {
  return std::make_shared<GeneratedArray>(std::move(dtype), std::move(shape), std::move(elements));
}

ArrayPtr generated_texts(uint64_t count, std::function<std::string(uint64_t i)> text) {
  return generated(text_type(), {count}, [text = std::move(text)](const Box& box) {
    TextBuilder texts(box.extent[0]);
    for (uint64_t i = 0; i < box.extent[0]; ++i) texts.add(text(box.origin[0] + i));
    return texts.finish();
  });
}

ArrayPtr numbered_texts(uint64_t count, std::string prefix, uint64_t first) {
  return generated_texts(
      count, [prefix = std::move(prefix), first](uint64_t i) { return prefix + std::to_string(first + i); });
}

ArrayPtr counting(uint64_t count) {
  return std::make_shared<CountingArray>(count);
}

bool is_counting(const Array& array) {
  return dynamic_cast<const CountingArray*>(&array) != nullptr;
}

ArrayPtr constant(DType dtype, Shape shape, Elements element) {
  return std::make_shared<ConstantArray>(std::move(dtype), std::move(shape), std::move(element));
}

ArrayPtr constant_text(uint64_t count, std::string_view text) {
  TextBuilder one(1);
  one.add(text);
  return constant(text_type(), {count}, one.finish());
}

}  // namespace plainfs
