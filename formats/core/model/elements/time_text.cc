#include "formats/core/model/elements/time_text.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "formats/core/base/civil_date.h"

namespace plainfs {

namespace {

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

void append_date(Int128 days_since_1970, std::string& out) {
  const auto [year, month, day] = civil_from_days(days_since_1970);
  append_year(year, out);
  fmt::format_to(std::back_inserter(out), "-{:02}-{:02}", month, day);
}

// Returns the number of decimals of a second.
int fraction_digits(TimeUnit unit) {
  return unit <= TimeUnit::second ? 0 : 3 * (static_cast<int>(unit) - static_cast<int>(TimeUnit::second));
}

// Appends seconds and their fraction, cut off after the unit.
void append_date_and_time(Int128 seconds, int64_t fraction, TimeUnit unit, std::string& out) {
  const Int128 days = floor_divide<Int128>(seconds, 86400);
  const auto second_of_day = static_cast<int64_t>(seconds - days * 86400);
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
      const Int128 years = floor_divide<Int128>(value, 12);
      append_year(1970 + years, out);
      fmt::format_to(std::back_inserter(out), "-{:02}", static_cast<int>(value - years * 12) + 1);
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
      const Int128 seconds = floor_divide<Int128>(value, per_second);
      const auto fraction = static_cast<int64_t>(value - seconds * per_second);
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
