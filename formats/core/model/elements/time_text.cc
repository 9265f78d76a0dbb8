#include "formats/core/model/elements/time_text.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "formats/core/base/int128.h"

namespace plainfs {

namespace {

struct Division {
  Int128 quotient;
  int64_t rest;  // 0 to divisor - 1
};
Division floor_divide(Int128 value, int64_t divisor) {
  Int128 quotient = value / divisor;
  if (value % divisor < 0) --quotient;
  return {quotient, static_cast<int64_t>(value - quotient * divisor)};
}

// Formats like C's "%04d".
void append_year(Int128 year, std::string& out) {
  const bool negative = year < 0;
  if (negative) year = -year;
  std::array<char, 40> digits;
  size_t at = digits.size();
  for (; year != 0; year /= 10) digits[--at] = static_cast<char>('0' + static_cast<int>(year % 10));
  while (digits.size() - at < (negative ? 3u : 4u)) digits[--at] = '0';
  if (negative) digits[--at] = '-';
  out.append(digits.data() + at, digits.size() - at);
}

// Appends the proleptic Gregorian date of a day, by Howard Hinnant's days-to-civil algorithm.
void append_date(Int128 days_since_1970, std::string& out) {
  const auto [era, day_of_era] = floor_divide(days_since_1970 + 719468, 146097);
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;  // 0 = March
  const int64_t day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
  const int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  append_year(era * 400 + year_of_era + (month <= 2), out);
  fmt::format_to(std::back_inserter(out), "-{:02}-{:02}", month, day);
}

// Returns the number of decimals of a second.
int fraction_digits(TimeUnit unit) {
  return unit <= TimeUnit::second ? 0 : 3 * (static_cast<int>(unit) - static_cast<int>(TimeUnit::second));
}

// Appends seconds and their fraction, cut off after the unit.
void append_date_and_time(Int128 seconds, int64_t fraction, TimeUnit unit, std::string& out) {
  const auto [days, second_of_day] = floor_divide(seconds, 86400);
  append_date(days, out);
  auto end = std::back_inserter(out);
  fmt::format_to(end, "T{:02}", second_of_day / 3600);
  if (unit >= TimeUnit::minute) fmt::format_to(end, ":{:02}", second_of_day / 60 % 60);
  if (unit >= TimeUnit::second) fmt::format_to(end, ":{:02}", second_of_day % 60);
  if (const int digits = fraction_digits(unit)) fmt::format_to(end, ".{:0{}}", fraction, digits);
}

void append_without_zone(const DType& type, int64_t count, std::string& out) {
  const Int128 value = Int128{count} * type.time_count;
  switch (type.time_unit) {
    case TimeUnit::generic:
      fmt::format_to(std::back_inserter(out), "{}", count);
      return;
    case TimeUnit::year:
      return append_year(1970 + value, out);
    case TimeUnit::month: {
      const auto [years, month] = floor_divide(value, 12);
      append_year(1970 + years, out);
      fmt::format_to(std::back_inserter(out), "-{:02}", month + 1);
      return;
    }
    case TimeUnit::week:
      return append_date(value * 7, out);
    case TimeUnit::day:
      return append_date(value, out);
    case TimeUnit::hour:
      return append_date_and_time(value * 3600, 0, type.time_unit, out);
    case TimeUnit::minute:
      return append_date_and_time(value * 60, 0, type.time_unit, out);
    default: {
      int64_t per_second = 1;
      for (int i = fraction_digits(type.time_unit); i > 0; --i) per_second *= 10;
      const auto [seconds, fraction] = floor_divide(value, per_second);
      return append_date_and_time(seconds, fraction, type.time_unit, out);
    }
  }
}

}  // namespace

void append_time(const DType& type, int64_t count, std::string& out) {
  append_without_zone(type, count, out);
  if (type.is_utc) out += 'Z';
}

}  // namespace plainfs
