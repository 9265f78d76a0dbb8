// Dates of the proleptic Gregorian calendar as days since 1970-01-01, in years beyond those of std::chrono.
#pragma once

#include <chrono>
#include <cstdint>

#include "formats/core/base/int128.h"

namespace plainfs {

// Returns a / b, rounded down. Requires: b > 0.
template <class T>
constexpr T floor_divide(T a, T b) {
  return a / b - (a % b < 0);
}

inline constexpr int64_t kDaysOf400Years = 146097;

struct CivilDate {
  Int128 year;
  unsigned month, day;  // from 1
};

constexpr CivilDate civil_from_days(Int128 days) {
  const Int128 era = floor_divide<Int128>(days, kDaysOf400Years);
  const std::chrono::days of_era(static_cast<int>(days - era * kDaysOf400Years));
  const std::chrono::year_month_day date{std::chrono::sys_days(of_era)};
  return {era * 400 + static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day())};
}

// Returns the days to the first day of a month. Requires: month is 1 to 12.
constexpr int64_t days_before_month(int64_t year, unsigned month) {
  const int64_t era = floor_divide<int64_t>(year, 400);
  const std::chrono::year of_era(static_cast<int>(year - era * 400));
  return era * kDaysOf400Years +
         std::chrono::sys_days(of_era / std::chrono::month(month) / 1).time_since_epoch().count();
}

}  // namespace plainfs
