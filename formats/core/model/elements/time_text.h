// Points in time in the format of numpy's datetime_as_string: ISO 8601 in the full width of the unit, years
// of at least four characters with the sign, weeks as the date they begin.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/model/elements/dtype.h"

namespace plainfs {

// The count of a time_point or time_span that is not-a-time.
inline constexpr int64_t kNotATime = INT64_MIN;

// Appends the time `count` * time_count units of `type` after 1970, with a Z if type.is_utc. Requires:
// type.kind is time_point, count is not kNotATime.
void append_time(const DType& type, int64_t count, std::string& out);

}  // namespace plainfs
