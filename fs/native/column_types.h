// What the values of a column have in common, which decides the type that it has in files of other programs.
// A column of the cells of a level is asked about as the column that it is cut out of (Array::whole_column),
// so that it has one type for all levels. Each answer is a survey of that column: one pass, made once.
#pragma once

#include <cstdint>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/counted_times.h"

namespace plainfs {

// Whether a value is missing. A time that is none is.
bool has_missing(const Array& column, Context& context);

// The bounds of all values of a column of integers, time points or time spans, the missing ones apart.
struct IntegerExtent {
  int64_t least = 0;  // 0 where none is below
  uint64_t most = 0;  // 0 where none is above

  // Whether R's integers hold them, of which the least of 32 bits is NA; doubles without rounding; and
  // integers of the package bit64, of which the least of 64 bits is NA.
  bool is_r_integer() const { return least > INT32_MIN && most <= INT32_MAX; }
  bool is_exact_real() const { return least >= -(int64_t{1} << 53) && most <= uint64_t{1} << 53; }
  bool is_integer64() const { return least > INT64_MIN && most <= INT64_MAX; }
};
IntegerExtent integer_extent(const Array& column, Context& context);
// Tells the bounds of a column that is made by a pass, so that none is made to find them.
void tell_integer_extent(const Array& column, const IntegerExtent& extent);

// Whether a double counts each point in time of a column as it is written (exact_number). Requires:
// counted_unit() of its type.
bool are_exact_times(const Array& column, Context& context);

// Of a column of counted times.
CountedExtent extent_of_times(const Array& column, Context& context);

}  // namespace plainfs
