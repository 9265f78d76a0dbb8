// Arrays that are derived from other arrays: a factor maps codes to labels, a missing-value rule marks NA, a
// logical reads integers as FALSE and TRUE. With them, views do not need to know about factors or NA rules.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

// An array that returns the elements of another array and forwards the other calls: release(), repeated(),
// check() and so on. A subclass overrides the two private functions and any other function that differs.
class DerivedArray : public Array {
 public:
  // Creates an array with the shape and order of `values`.
  DerivedArray(ArrayPtr values, DType dtype)
      : DerivedArray(values, std::move(dtype), values->shape(), values->column_major()) {}
  DerivedArray(ArrayPtr values, DType dtype, Shape shape, bool column_major)
      : Array(std::move(dtype), std::move(shape), column_major), values_(std::move(values)) {}

  Elements read(const Box& box) const override { return derived(values_->read(stored_box(box)), box); }
  Elements peek(const Box& box) const override { return derived(values_->peek(stored_box(box)), box); }
  std::optional<Elements> repeated(const Box& box) const override;
  void release(const Box& box) const override { values_->release(stored_box(box)); }
  Shape chunk_shape() const override { return values_->chunk_shape(); }
  void check() const override { values_->check(); }
  bool is_null() const override { return values_->is_null(); }
  Attributes attributes() const override { return values_->attributes(); }

 protected:
  const Array& values() const { return *values_; }

 private:
  // Returns the box of values() that contains the data of `box`.
  virtual Box stored_box(const Box& box) const;
  // Returns the elements of the box from those of its stored box. If `stored` is the single element that all
  // of those equal, returns the single element that all elements of the box equal.
  virtual Elements derived(Elements stored, const Box&) const { return stored; }

  const ArrayPtr values_;
};

// A box of an array without some of its axes: a plane, or a column of a matrix. It has no attributes, because
// those of the array describe all of it.
class Slice : public DerivedArray {
 public:
  // kept: the axes of the array that the slice has, ascending. Requires: the box lies inside the array, and
  // has one element along each other axis.
  Slice(const ArrayPtr& values, Box part, std::vector<size_t> kept)
      : Slice(values, values->dtype(), std::move(part), std::move(kept)) {}
  Slice(ArrayPtr values, DType dtype, Box part, std::vector<size_t> kept);

  Shape chunk_shape() const override;
  Attributes attributes() const override { return {}; }

 private:
  Box stored_box(const Box& box) const override;

  const Box part_;
  const std::vector<size_t> kept_;
};

// Returns a Slice in which elements may be missing only if they may be in `values`.
ArrayPtr slice(ArrayPtr values, Box part, std::vector<size_t> kept);
// Returns a slice that keeps all axes.
ArrayPtr slice(ArrayPtr values, Box part);

// Returns the box of all elements with one index along an axis. Requires: the index is below its extent.
Box at_index(const Shape& shape, size_t axis, uint64_t index);

// Returns `values` with each element converted independently. convert is called with a run of stored elements
// and their box, for messages. It returns as many elements of dtype.
using Conversion = std::function<Elements(Elements stored, const Box& box)>;
ArrayPtr mapped(ArrayPtr values, DType dtype, Conversion convert);

// Returns `values` with a check() that runs rule() until it succeeds. If rule throws damaged or unsupported,
// every later check() throws that too. Any other Error (a failing disk) may be transient.
ArrayPtr checked(ArrayPtr values, std::function<void()> rule);

// Returns the array that was passed to checked() if `array` is its result, else `array`.
const Array& without_rule(const Array& array);

// Returns `codes` (any integers) as labels: text if code - base is an index into `levels` (text, numbers or
// booleans, shown as in a .csv), else NA. A code that is neither missing nor a level violates every format;
// it is logged once, with `place` ("/meta.data/x") in the message. is_ordered: the levels have an order
// (formats/core/model/arrays/factor.h).
ArrayPtr factor(ArrayPtr codes, ArrayPtr levels, int64_t base, std::string place, Context& context,
                bool is_ordered = false);

// Returns `values`, with the same dtype and shape, with the elements marked missing that `rule` marks.
// Elements that `values` itself marks stay missing.
using MissingRule = std::function<void(const Elements& elements, std::vector<uint8_t>& missing)>;
ArrayPtr with_missing(ArrayPtr values, MissingRule rule);

// Returns `values` with each not-a-time (kNotATime) marked as missing. Returns arrays of other kinds
// unchanged.
ArrayPtr with_missing_times(ArrayPtr values);

// Returns numbers as Kind::logical of the same size: 0 is FALSE, any other number TRUE. Missing marks are
// kept. Values of another kind give an array that throws unsupported when it is used.
ArrayPtr as_logical(ArrayPtr values);

// Returns the same elements as R interprets them, with the dimensions reversed over the same bytes.
ArrayPtr as_column_major(ArrayPtr values);

}  // namespace plainfs
