#include "fs/views/cf/netcdf_times.h"

#include <algorithm>
#include <utility>

#include "formats/core/base/int128.h"
#include "formats/core/cf/decoded.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/time_text.h"

namespace plainfs {
namespace {

struct CountUnit {
  const char* name;
  int64_t nanoseconds;
};
constexpr CountUnit kCountUnits[] = {{"days", 86'400'000'000'000},
                                     {"hours", 3'600'000'000'000},
                                     {"minutes", 60'000'000'000},
                                     {"seconds", 1'000'000'000},
                                     {"milliseconds", 1'000'000},
                                     {"microseconds", 1000},
                                     {"nanoseconds", 1}};
constexpr int64_t kWholeSecond = 1'000'000'000;

// The extent of native times, in nanoseconds.
struct TimeExtent {
  Int128 least = 0, most = 0;
  int64_t unit = kWholeSecond;  // a second or a part of it in which all are whole numbers
  bool has_missing = false;
};

TimeExtent native_extent(const Array& times, int64_t per_count) {
  constexpr uint64_t kAtOnce = 65536;
  TimeExtent extent;
  for (uint64_t first = 0; first < times.count(); first += kAtOnce) {
    const Elements some = read_run(times, first, std::min(kAtOnce, times.count() - first));
    for (const int64_t count : some.values<int64_t>()) {
      if (count == kNotATime) {
        extent.has_missing = true;
        continue;
      }
      const Int128 time = Int128{count} * per_count;
      extent.least = std::min(extent.least, time);
      extent.most = std::max(extent.most, time);
      while (time % extent.unit != 0) extent.unit /= 1000;
    }
    passed_run(times, first, some.count);
  }
  return extent;
}

// Returns the longest unit that divides one count, for a count of whole seconds.
CountUnit unit_of_count(int64_t per_count) {
  return *std::find_if(std::begin(kCountUnits), std::end(kCountUnits),
                       [&](const CountUnit& unit) { return per_count % unit.nanoseconds == 0; });
}

CountUnit unit_of_nanoseconds(int64_t nanoseconds) {
  return *std::find_if(std::begin(kCountUnits), std::end(kCountUnits),
                       [&](const CountUnit& unit) { return unit.nanoseconds == nanoseconds; });
}

}  // namespace

std::optional<NetcdfTimes> netcdf_times(const ArrayPtr& times) {
  const std::optional<int64_t> per_count = nanoseconds_per_count(times->dtype());
  if (!per_count) return std::nullopt;
  const auto extent = times->survey<TimeExtent>(0, [&] { return native_extent(*times, *per_count); });
  const CountUnit unit =
      *per_count % kWholeSecond == 0 ? unit_of_count(*per_count) : unit_of_nanoseconds(extent->unit);
  const Int128 least = extent->least / unit.nanoseconds, most = extent->most / unit.nanoseconds;
  constexpr Int128 kMaxExact = Int128{1} << 53;
  if (least < -kMaxExact || most > kMaxExact) return std::nullopt;
  NetcdfTimes counted;
  counted.has_missing = extent->has_missing;
  counted.fits_int = least >= INT32_MIN && most <= INT32_MAX;
  counted.units = unit.name;
  if (times->dtype().kind == Kind::time_point) counted.units += " since 1970-01-01";
  const auto in_unit = [per = *per_count, unit](Elements stored, const Box&) {
    for (int64_t& count : stored.mutable_values<int64_t>())
      if (count != kNotATime) count = static_cast<int64_t>(Int128{count} * per / unit.nanoseconds);
    return stored;
  };
  counted.counts = mapped(times, number_type(Kind::integer, 8), in_unit);
  return counted;
}

}  // namespace plainfs
