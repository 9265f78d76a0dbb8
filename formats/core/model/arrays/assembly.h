// Boxes of elements of any kind: cut out of a block, or assembled from parts that arrive in any order.
#pragma once

#include <vector>

#include "cache/mutex.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs {

// Returns the elements of `box` in its C order. `source` holds a dense block of shape source_shape.
Elements cut(const DType& type, const Elements& source, const Shape& source_shape, const Box& box);

class Assembly {
 public:
  // type: must outlive this object. extent: of the box to assemble.
  Assembly(const DType& type, Shape extent);

  // Copies source_box of a dense block of shape source_shape to target_origin in the box. Thread-safe if the
  // parts do not overlap.
  void place(const Elements& source, const Shape& source_shape, const Box& source_box,
             const Shape& target_origin);

  // Returns the assembled box. Requires: every element has been placed once.
  Elements finish();

 private:
  // A part of a kind that is not flat. The position of an element depends on all elements before it, so such
  // parts wait for finish().
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
  Mutex mutex_;  // also guards the creation of result_.missing
  std::vector<Part> parts_;
};

}  // namespace plainfs
