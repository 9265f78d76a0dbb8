#include "formats/core/codecs/pickle.h"

#include "formats/core/pickle/pickle.h"
#include "formats/core/pickle/pickle_text.h"

namespace plainfs {
namespace {

// Returns the array of a value. Only pickled arrays have elements.
const PickleArray& array_of(const PickleValue& value, const PickleHeap& heap) {
  if (value.kind != PickleKind::array || !heap.arrays[value.index].type)
    throw damaged("the pickle does not contain an array");
  return heap.arrays[value.index];
}

Elements json_elements(const PickleArray& array, uint64_t count, PickleText& text) {
  TextBuilder out(count);
  std::string element;
  for (uint64_t i = 0; i < count; ++i) {
    element.clear();
    text.write_element(array, i, element);
    if (element == "null")  // None or not-a-time
      out.add_missing();
    else
      out.add(element);
  }
  return out.finish();
}

class Pickle : public ObjectCodec {
 public:
  explicit Pickle(DType dtype) : dtype_(std::move(dtype)) {}

  DType dtype() const override { return dtype_; }
  Elements decode(ByteSpan encoded, std::span<const uint64_t> chunk_shape) const override try {
    PickleHeap heap(encoded.size());
    const PickleValue value = run_pickle(encoded, heap);
    const PickleArray& array = array_of(value, heap);
    const uint64_t count = element_count(Shape(chunk_shape.begin(), chunk_shape.end()));
    if (element_count(array.shape) != count)
      throw damaged("{} elements, expected {}", element_count(array.shape), count);
    PickleText text(heap, encoded.size());
    if (dtype_.kind == Kind::json) return json_elements(array, count, text);
    return pickled_records(array, dtype_, heap, text);
  } catch (const Error& error) {
    throw error.at("pickle");
  }

 private:
  DType dtype_;
};

}  // namespace

Json read_pickle(ByteSpan pickle) try {
  PickleHeap heap(pickle.size());
  const PickleValue value = run_pickle(pickle, heap);
  std::string text;
  PickleText(heap, pickle.size()).write(value, text);
  return parse_json(text);
} catch (const Error& error) {
  throw error.at("pickle");
}

ObjectCodecPtr pickle_codec(const DType& dtype) {
  return std::make_unique<Pickle>(dtype);
}

}  // namespace plainfs
