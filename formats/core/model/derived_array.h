// Arrays made of other arrays: a factor maps codes to labels, a missing-value rule marks NA, a logical reads
// integers as FALSE and TRUE. With them no view knows factors or NA rules.
#pragma once

#include <functional>
#include <string>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

// An array that hands out another one's elements, and is like it in everything else that an Array can be
// asked: what it keeps only to read it again, what repeats, what is known to be broken. An heir overrides the
// two private functions, and what of the rest is different; whatever it leaves alone is passed on.
class DerivedArray : public Array {
 public:
  // Of the same shape and order.
  DerivedArray(ArrayPtr values, DType dtype)
      : DerivedArray(values, std::move(dtype), values->shape(), values->column_major()) {}
  DerivedArray(ArrayPtr values, DType dtype, Shape shape, bool column_major)
      : Array(std::move(dtype), std::move(shape), column_major), values_(std::move(values)) {}

  Elements read(const Box& box) const override { return derived(values_->read(stored_box(box)), box); }
  Elements peek(const Box& box) const override { return derived(values_->peek(stored_box(box)), box); }
  std::optional<Elements> repeated(const Box& box) const override;
  void passed(const Box& box) const override { values_->passed(stored_box(box)); }
  Shape chunk_shape() const override { return values_->chunk_shape(); }
  void check() const override { values_->check(); }
  bool is_null() const override { return values_->is_null(); }
  Attributes attributes() const override { return values_->attributes(); }

 protected:
  const Array& values() const { return *values_; }

 private:
  // The box of values() that holds what box of this array is made of.
  virtual Box stored_box(const Box& box) const;
  // The elements of box from those of its stored box; or from the only one that these all are equal to, the
  // one that those of box are all equal to.
  virtual Elements derived(Elements stored, const Box&) const { return stored; }

  const ArrayPtr values_;
};

// values, each element converted by itself. convert is given a run of stored elements, and the box that they
// are from, for messages; it gives as many of dtype.
using Conversion = std::function<Elements(Elements stored, const Box& box)>;
ArrayPtr mapped(ArrayPtr values, DType dtype, Conversion convert);

// values, with rule() run by check() until it is known to hold. Where it throws that something is damaged or
// not supported, so does every check() after it; any other Error (a disk that fails) may pass.
ArrayPtr checked(ArrayPtr values, std::function<void()> rule);

// What checked() was given, where array is of its making; else array.
const Array& without_rule(const Array& array);

// codes (any integers) as labels: text, where code - base is an index into levels (text, numbers or booleans,
// shown as a .csv shows them); anything else is NA. A code that is neither missing in codes nor a level is
// against the rules of every format: it is warned of once, with place ("/meta.data/x") in the message.
// is_ordered: the levels rise (formats/core/model/factor.h).
ArrayPtr factor(ArrayPtr codes, ArrayPtr levels, int64_t base, std::string place, Context& context,
                bool is_ordered = false);

// values of the same dtype and shape with missing[i] set where is_missing(elements, i).
// Elements that values itself marks stay missing.
using MissingRule = std::function<void(const Elements& elements, std::vector<uint8_t>& missing)>;
ArrayPtr with_missing(ArrayPtr values, MissingRule rule);

// values with each time that is none (kNotATime) marked as missing; arrays of other kinds as they are.
ArrayPtr with_missing_times(ArrayPtr values);

// Numbers read as Kind::logical of the same size: 0 FALSE, every other TRUE. Missing marks stay. Values of
// another kind give an array that throws unsupported when it is used.
ArrayPtr as_logical(ArrayPtr values);

// The same elements as R means them: the dimensions reversed over the same bytes.
ArrayPtr as_column_major(ArrayPtr values);

}  // namespace plainfs
