// The values of a CF variable as they are meant: unpacked, with missing values marked, times as dates.
#pragma once

#include <optional>
#include <string>

#include "formats/core/cf/calendar.h"
#include "formats/core/cf/dataset.h"

namespace plainfs {

// Returns the reference and calendar of the times that a variable counts, or nullopt if it counts none.
// bounded: the attributes of the variable whose bounds it has, which stand in for its own; may be null.
std::optional<TimeReference> cf_times(const CfVariable& variable, const Attributes* bounded);

// Returns an array of the same shape (FORMAT.md of formats/schemas/cf, "Decoded values"):
// - texts, and what has no number in it, as they are;
// - truth values, also those that xarray stores as integers;
// - times as texts, YYYY-MM-DDTHH:MM:SS and a fraction;
// - numbers times scale_factor plus add_offset, in double, or in float if both attributes are;
// - all other numbers in their own type.
// A value that equals _FillValue or missing_value before it is unpacked is missing.
ArrayPtr cf_decoded(const CfVariable& variable, const Attributes* bounded);

}  // namespace plainfs
