// The decoded values of a CF variable: unpacked, with missing values marked, times as dates.
#pragma once

#include <optional>
#include <string>

#include "formats/core/cf/calendar.h"
#include "formats/core/cf/dataset.h"

namespace plainfs {

// Returns the double that equals a number of a type. JSON holds it with the digits of that type. type: may be
// null.
double widened(double real, const DType* type);

// Returns the nanoseconds in one count of a time_point or time_span; nullopt for another type, and for a unit
// that is not a whole number of them or has no fixed length (months, years).
std::optional<int64_t> nanoseconds_per_count(const DType& type);

// Returns the reference and calendar of the times that a variable counts, or nullopt if it counts no times.
// bounded: the attributes of the variable for which this one has the bounds; they replace its own. May be
// null.
std::optional<TimeReference> cf_times(const CfVariable& variable, const Attributes* bounded);

// Returns an array of the same shape (FORMAT.md of formats/schemas/cf, "Decoded values"):
// - the texts along the last axis, if the variable is_joined, with one axis less;
// - texts, and values that contain no number, unchanged; spans of time with not-a-time as missing;
// - truth values, also those that xarray stores as integers;
// - times as texts, YYYY-MM-DDTHH:MM:SS and a fraction;
// - numbers times scale_factor plus add_offset, in double, or in float if both attributes are;
// - all other numbers in their own type.
// A value that equals _FillValue or missing_value before it is unpacked is missing.
ArrayPtr cf_decoded(const CfVariable& variable, const Attributes* bounded);

}  // namespace plainfs
