// Boxes of elements of any kind: cut out of a block, and put together from parts that arrive in any order.
#pragma once

#include <vector>

#include "cache/mutex.h"
#include "formats/core/model/array.h"

namespace plainfs {

// The elements of a box, in its C order. source holds a dense block of shape source_shape.
Elements cut(const DType& type, const Elements& source, const Shape& source_shape, const Box& box);

class Assembly {
 public:
  // type outlives this. extent: of the box to put together.
  Assembly(const DType& type, Shape extent);

  // Takes source_box of a dense block of shape source_shape to target_origin in the box. Safe from several
  // threads at once where the parts do not overlap.
  void place(const Elements& source, const Shape& source_shape, const Box& source_box,
             const Shape& target_origin);

  // Requires: every element has been placed once.
  Elements finish();

 private:
  // Kinds that are not flat wait here: where an element goes depends on all those before it.
  struct Part {
    Elements elements;
    Shape extent;
    Shape origin;
  };
  void mark_missing(const Elements& source, const Shape& source_shape, const Box& source_box,
                    const Shape& target_origin);

  const DType& type_;
  const bool flat_;
  Shape extent_;
  Elements result_;
  Mutex mutex_;  // guards the making of result_.missing, too
  std::vector<Part> parts_;
};

}  // namespace plainfs
