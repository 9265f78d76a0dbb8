// Times that R stores as numbers with a possible fraction: days since 1970 (Date), or seconds since 1970 in
// UTC (POSIXct). Such a number may also be infinite or NaN, which R distinguishes from a missing value, so no
// integer can represent it. The elements are of Kind::counted_time and hold the numbers themselves.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/arrays/array.h"

namespace plainfs {

// Returns `numbers` (32-bit integers or 64-bit reals) as times of that unit, TimeUnit::day or second, with
// the class of their R vector.
ArrayPtr counted_times(ArrayPtr numbers, TimeUnit unit, std::shared_ptr<const TextAttributes> r_class);

// Returns the type of such times as doubles.
DType counted_time_type(TimeUnit unit, std::shared_ptr<const TextAttributes> r_class);

// Returns element i of counted times.
double counted_number(const DType& type, const Elements& times, uint64_t i);

// Appends YYYY-MM-DD, with a fraction of a day rounded down, or YYYY-MM-DDTHH:MM:SSZ with the fewest decimals
// of the second that read back as the number. NaN, an infinity, or a number beyond 2^53, which is no
// countable point in time, is written as a number.
void append_counted_time(const DType& type, double number, std::string& out);

// The range and precision that integers need to represent counted times exactly as they are written.
struct CountedExtent {
  bool are_points = true;       // none is NaN, infinite or beyond 2^53
  size_t digits = 0;            // the most decimals of the second
  int64_t least = 0, most = 0;  // days or seconds, rounded down
};
// Returns the extent of the elements that are not missing. times: from counted_times().
CountedExtent counted_extent(const DType& type, const Elements& times);
CountedExtent joined(const CountedExtent& a, const CountedExtent& b);

// Returns whether a 64-bit number of that unit (day, or second to nano) represents each of these times.
bool are_counted_by(TimeUnit unit, const CountedExtent& extent);

// Returns counted times as points in time of that unit. Missing values stay missing. Reading a time that the
// unit cannot represent throws unsupported.
ArrayPtr whole_counts(ArrayPtr times, TimeUnit unit);

// Returns the unit in which R counts points in time of that type: day for days and weeks, second for hours to
// attoseconds; nullopt for the others.
std::optional<TimeUnit> counted_unit(const DType& time_point);

// Returns a count of a time_point's type as a number of its counted unit: the nearest double if it is written
// as the same point in time, else nullopt. Requires: counted_unit() has a value, and count is not kNotATime.
std::optional<double> exact_number(const DType& time_point, int64_t count);

}  // namespace plainfs
