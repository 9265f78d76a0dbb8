// Native times (numpy's datetime64 and timedelta64) in the counts of a NetCDF file.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/arrays/array.h"

namespace plainfs {

struct NetcdfTimes {
  ArrayPtr counts;    // int64, with INT64_MIN for not-a-time
  std::string units;  // "seconds since 1970-01-01", or "hours" of spans
  bool has_missing = false;
  bool fits_int = false;  // all but not-a-time fit 32 bits
};

// Returns native times counted in their unit, or in the longest of seconds, milliseconds and so on in which
// all are whole numbers, because a double holds integers of 53 bits. Returns nullopt if one is too large for
// a double, or if the unit has no fixed length. Reads the times once. Requires: kind time_point or time_span.
std::optional<NetcdfTimes> netcdf_times(const ArrayPtr& times);

}  // namespace plainfs
