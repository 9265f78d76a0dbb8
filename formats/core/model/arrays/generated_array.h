// Arrays with elements that are computed from their places and stored nowhere. None of them is missing,
// except in constant().
#pragma once

#include <functional>
#include <string>

#include "formats/core/model/arrays/array.h"

namespace plainfs {

// Returns an array with the elements that `elements` returns for a box. The box lies inside `shape`.
// elements: thread-safe; called for each read.
ArrayPtr generated(DType dtype, Shape shape, std::function<Elements(const Box& box)> elements);

// Returns an array of `count` texts; text(i) is that of element i.
ArrayPtr generated_texts(uint64_t count, std::function<std::string(uint64_t i)> text);

// Returns the texts `first`, `first` + 1, and so on, each after `prefix`.
ArrayPtr numbered_texts(uint64_t count, std::string prefix = {}, uint64_t first = 0);

// Returns 0, 1, … count - 1, as unsigned integers of 64 bits.
ArrayPtr counting(uint64_t count);
// Returns whether the array is one that counting() returned.
bool is_counting(const Array& array);

// Returns an array in which each element equals the only element of `element`.
ArrayPtr constant(DType dtype, Shape shape, Elements element);

// Returns `count` times `text`.
ArrayPtr constant_text(uint64_t count, std::string_view text);

}  // namespace plainfs
