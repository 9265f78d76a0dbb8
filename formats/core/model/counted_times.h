// Times that R counts in numbers which may have a fraction: days since 1970 (Date), and seconds since 1970 in
// UTC (POSIXct). Such a number may also be infinite or NaN, which R tells apart from a missing one, so that
// no whole number can stand for it: they are elements of Kind::counted_time, and hold the numbers themselves.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/array.h"

namespace plainfs {

// numbers (integers of 32 bits or reals of 64) as times of that unit, TimeUnit::day or second, with the class
// of the R vector that they are.
ArrayPtr counted_times(ArrayPtr numbers, TimeUnit unit, std::shared_ptr<const TextAttributes> r_class);

// The type of such times as doubles.
DType counted_time_type(TimeUnit unit, std::shared_ptr<const TextAttributes> r_class);

// Element i of counted times.
double counted_number(const DType& type, const Elements& times, uint64_t i);

// Appends YYYY-MM-DD, a fraction of a day dropped towards the past, or YYYY-MM-DDTHH:MM:SSZ with the fewest
// digits behind the second that read back to the number. What is no point in time that can be counted, NaN,
// an infinity or a number beyond 2^53, is written as that number.
void append_counted_time(const DType& type, double number, std::string& out);

// What whole numbers have to hold to count some times as they are written.
struct CountedExtent {
  bool are_points = true;       // none is NaN, infinite or beyond 2^53
  size_t digits = 0;            // behind the second, of the one that has most
  int64_t least = 0, most = 0;  // days or seconds, rounded down
};
// Of the elements that are not missing. times: of counted_times().
CountedExtent counted_extent(const DType& type, const Elements& times);
CountedExtent joined(const CountedExtent& a, const CountedExtent& b);

// Whether a 64-bit number of that unit (day, or second to nano) counts each of these times.
bool are_counted_by(TimeUnit unit, const CountedExtent& extent);

// Counted times as points in time of that unit; what is missing stays so. One that the unit does not count is
// unsupported when it is read.
ArrayPtr whole_counts(ArrayPtr times, TimeUnit unit);

// The unit by which R counts points in time of that type: day for days and weeks, second for hours to
// attoseconds; nullopt for the others.
std::optional<TimeUnit> counted_unit(const DType& time_point);

// A count of a time_point's type as a number of its counted unit: the nearest double, where that is written
// as the same point in time; else nullopt. Requires: counted_unit(), count is not kNotATime.
std::optional<double> exact_number(const DType& time_point, int64_t count);

}  // namespace plainfs
