#include "formats/core/model/arrays/counted_times.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "formats/core/base/civil_date.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/time_text.h"
#include "formats/core/text/number_text.h"

namespace plainfs {

namespace {

constexpr int64_t kWholeInDouble = int64_t{1} << 53;

DType time_type(TimeUnit unit) {
  DType type = number_type(Kind::time_point, 8);
  type.time_unit = unit;
  return type;
}

bool is_point(double number) {
  return std::fabs(number) <= static_cast<double>(kWholeInDouble);  // false for NaN
}

int64_t rounded_down(double number) {
  return static_cast<int64_t>(std::floor(number));
}

// Returns the digits after the point of a number, the fewest that read back as the number. For a negative
// number they count from the whole second before it.
std::string fraction_digits(double number) {
  char text[512];
  const auto end = std::to_chars(text, text + sizeof text, std::fabs(number), std::chars_format::fixed).ptr;
  const std::string_view all(text, static_cast<size_t>(end - text));
  const size_t point = all.find('.');
  if (point == all.npos) return {};
  std::string digits(all.substr(point + 1));
  if (number >= 0) return digits;
  // 1 minus the fraction: nines' complement, plus one in the last place.
  for (char& digit : digits) digit = static_cast<char>('9' - (digit - '0'));
  for (size_t i = digits.size(); i-- > 0;) {
    if (digits[i] != '9') {
      ++digits[i];
      break;
    }
    digits[i] = '0';
  }
  return digits;
}

// Returns the number of decimals of a second.
size_t digits_of(TimeUnit unit) {
  return unit <= TimeUnit::second ? 0
                                  : 3 * (static_cast<size_t>(unit) - static_cast<size_t>(TimeUnit::second));
}

int64_t power_of_10(size_t exponent) {
  int64_t power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

// Returns the count of a time for which are_counted_by() is true.
int64_t count_of(double number, TimeUnit unit) {
  const size_t places = digits_of(unit);
  int64_t count = rounded_down(number) * power_of_10(places);
  if (places == 0) return count;
  std::string digits = fraction_digits(number);
  digits.resize(places, '0');
  int64_t fraction = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), fraction);
  return count + fraction;
}

// Returns `count` units of 10^-places seconds as seconds. Requires: places > 0.
std::optional<double> exact_seconds(Int128 count, size_t places) {
  const int64_t scale = power_of_10(places);
  const Int128 whole = floor_divide<Int128>(count, scale);
  const auto fraction = static_cast<int64_t>(count - whole * scale);
  if (whole < -kWholeInDouble || whole > kWholeInDouble) return std::nullopt;
  if (fraction == 0) return static_cast<double>(whole);
  const Int128 distance = count < 0 ? -count : count;
  const std::string text = fmt::format("{}.{:0{}}", static_cast<int64_t>(distance / scale),
                                       static_cast<int64_t>(distance % scale), places);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (count < 0) number = -number;
  std::string digits = fraction_digits(number);
  if (digits.size() > places) return std::nullopt;
  digits.resize(places, '0');
  const bool is_same = rounded_down(number) == whole && digits == fmt::format("{:0{}}", fraction, places);
  return is_same ? std::optional(number) : std::nullopt;
}

}  // namespace

DType counted_time_type(TimeUnit unit, std::shared_ptr<const TextAttributes> r_class) {
  DType type = number_type(Kind::counted_time, 8);
  type.base = Kind::real;
  type.time_unit = unit;
  type.r_class = std::move(r_class);
  return type;
}

ArrayPtr counted_times(ArrayPtr numbers, TimeUnit unit, std::shared_ptr<const TextAttributes> r_class) {
  DType type = counted_time_type(unit, std::move(r_class));
  type.base = numbers->dtype().kind;
  type.size = numbers->dtype().size;
  return std::make_shared<DerivedArray>(std::move(numbers), std::move(type));
}

double counted_number(const DType& type, const Elements& times, uint64_t i) {
  return type.base == Kind::integer ? times.values<int32_t>()[i] : times.values<double>()[i];
}

void append_counted_time(const DType& type, double number, std::string& out) {
  if (!is_point(number)) return append_number(number, out);
  append_time(time_type(type.time_unit), rounded_down(number), out);
  if (type.time_unit == TimeUnit::day) return;
  if (const std::string digits = fraction_digits(number); !digits.empty()) out += "." + digits;
  out += 'Z';
}

CountedExtent counted_extent(const DType& type, const Elements& times) {
  CountedExtent extent;
  const bool has_digits = type.time_unit == TimeUnit::second && type.base == Kind::real;
  bool is_first = true;
  for (uint64_t i = 0; i < times.count; ++i) {
    if (times.is_missing(i)) continue;
    const double number = counted_number(type, times, i);
    if (!is_point(number)) {
      extent.are_points = false;
      continue;
    }
    const int64_t whole = rounded_down(number);
    extent.least = is_first ? whole : std::min(extent.least, whole);
    extent.most = is_first ? whole : std::max(extent.most, whole);
    is_first = false;
    if (has_digits) extent.digits = std::max(extent.digits, fraction_digits(number).size());
  }
  return extent;
}

CountedExtent joined(const CountedExtent& a, const CountedExtent& b) {
  return {a.are_points && b.are_points, std::max(a.digits, b.digits), std::min(a.least, b.least),
          std::max(a.most, b.most)};
}

bool are_counted_by(TimeUnit unit, const CountedExtent& extent) {
  const size_t places = digits_of(unit);
  const Int128 scale = power_of_10(places);
  return extent.are_points && extent.digits <= places && extent.least * scale >= INT64_MIN &&
         (extent.most + Int128{1}) * scale <= INT64_MAX;
}

ArrayPtr whole_counts(ArrayPtr times, TimeUnit unit) {
  const DType stored = times->dtype(), whole = time_type(unit);
  return mapped(std::move(times), whole, [stored, whole, unit](const Elements& elements, const Box&) {
    if (!are_counted_by(unit, counted_extent(stored, elements)))
      throw unsupported("a time has more digits or is farther from 1970 than {} counts", whole.name());
    Elements generated = zero_elements(whole, elements.count);
    generated.missing = elements.missing;
    const auto counts = generated.mutable_values<int64_t>();
    for (uint64_t i = 0; i < elements.count; ++i)
      if (!elements.is_missing(i)) counts[i] = count_of(counted_number(stored, elements, i), unit);
    return generated;
  });
}

std::optional<TimeUnit> counted_unit(const DType& time_point) {
  switch (time_point.time_unit) {
    case TimeUnit::week:
    case TimeUnit::day:
      return TimeUnit::day;
    case TimeUnit::generic:
    case TimeUnit::year:
    case TimeUnit::month:
      return std::nullopt;
    default:
      return TimeUnit::second;
  }
}

std::optional<double> exact_number(const DType& time_point, int64_t count) {
  const TimeUnit unit = time_point.time_unit;
  Int128 all = Int128{count} * time_point.time_count;
  if (const size_t places = digits_of(unit)) return exact_seconds(all, places);
  all *= unit == TimeUnit::week ? 7 : unit == TimeUnit::hour ? 3600 : unit == TimeUnit::minute ? 60 : 1;
  if (all < -kWholeInDouble || all > kWholeInDouble) return std::nullopt;
  return static_cast<double>(all);
}

}  // namespace plainfs
