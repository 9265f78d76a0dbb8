// An array of elements of variable size, too long to hold, in parts: one element in every few is located, and
// the elements from it on are decoded together and cached.
#pragma once

#include <vector>

#include "formats/containers/rds/known_vectors.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs::rds {

class PartedArray : public Array {
 public:
  // chunk: the number of elements that are best read together. Requires: the first part, if any, begins with
  // element 0.
  PartedArray(DType type, LongVector vector, uint64_t chunk, Context& context);

  Elements read(const Box& box) const override;
  Shape chunk_shape() const override;

 protected:
  const std::vector<VectorPart>& parts() const { return parts_; }
  // Returns the number of elements from the beginning of a part to that of the next.
  uint64_t elements_in(size_t part) const;

 private:
  // Decodes the elements of a part.
  virtual Elements load(size_t part) const = 0;
  size_t part_of(uint64_t element) const;

  const std::vector<VectorPart> parts_;
  const uint64_t chunk_;
  Context& context_;
  const uint64_t cache_owner_;
};

}  // namespace plainfs::rds
