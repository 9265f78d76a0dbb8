#include "formats/core/cf/calendar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "formats/core/base/civil_date.h"
#include "formats/core/base/error.h"
#include "formats/core/text/ascii.h"

namespace plainfs {
namespace {

constexpr int64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr int64_t kMaxDays = int64_t{1} << 40;
constexpr Nanoseconds kFarthest = Nanoseconds{kMaxDays} * kDay;

// The day on which the standard calendar changes. Both of its parts count days in the same way.
constexpr int64_t kFirstGregorianDay = -141427;  // 1582-10-15

bool is_leap(Calendar calendar, int64_t year) {
  switch (calendar) {
    case Calendar::julian:
      return year % 4 == 0;
    case Calendar::no_leap:
    case Calendar::days_360:
      return false;
    case Calendar::all_leap:
      return true;
    case Calendar::standard:
    case Calendar::proleptic_gregorian:
      break;
  }
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

constexpr std::array<int, 13> kDaysBefore = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

int days_before(Calendar calendar, bool leap, int month) {
  if (calendar == Calendar::days_360) return 30 * (month - 1);
  return kDaysBefore[month - 1] + (leap && month > 2);
}

// Returns the days before a year of an astronomical count, which has a year 0. For the Gregorian and the
// Julian calendar the days count from 1970-01-01 of the Gregorian calendar, so that the standard calendar can
// change from one to the other. For others they count from 0000-01-01.
int64_t days_before_year(Calendar calendar, int64_t year) {
  switch (calendar) {
    case Calendar::standard:
    case Calendar::proleptic_gregorian:
      return days_before_month(year, 1);
    case Calendar::julian:
      return 365 * (year - 1) + floor_divide<int64_t>(year - 1, 4) - 719164;
    case Calendar::no_leap:
      return 365 * year;
    case Calendar::all_leap:
      return 366 * year;
    case Calendar::days_360:
      break;
  }
  return 360 * year;
}

bool has_year_zero(Calendar calendar) {
  return calendar != Calendar::standard && calendar != Calendar::julian;
}

int64_t days_of_rules(Calendar calendar, int64_t year, const Date& date) {
  return days_before_year(calendar, year) + days_before(calendar, is_leap(calendar, year), date.month) +
         date.day - 1;
}

// Returns the rules that apply on a day of the standard calendar.
Calendar rules_on(Calendar calendar, int64_t days) {
  if (calendar != Calendar::standard) return calendar;
  return days >= kFirstGregorianDay ? Calendar::proleptic_gregorian : Calendar::julian;
}

Calendar rules_in(Calendar calendar, int64_t year, const Date& date) {
  if (calendar != Calendar::standard) return calendar;
  const bool is_gregorian = std::tuple(year, date.month, date.day) >= std::tuple(int64_t{1582}, 10, 15);
  return is_gregorian ? Calendar::proleptic_gregorian : Calendar::julian;
}

int64_t astronomical_year(Calendar calendar, int64_t year) {
  return !has_year_zero(calendar) && year < 0 ? year + 1 : year;
}

struct UnitName {
  std::string_view name;
  int64_t nanoseconds;
};
constexpr UnitName kUnits[] = {
    {"nanosecond", 1},
    {"nanoseconds", 1},
    {"microsecond", 1000},
    {"microseconds", 1000},
    {"microsec", 1000},
    {"microsecs", 1000},
    {"millisecond", 1000000},
    {"milliseconds", 1000000},
    {"millisec", 1000000},
    {"millisecs", 1000000},
    {"msec", 1000000},
    {"msecs", 1000000},
    {"ms", 1000000},
    {"second", kSecond},
    {"seconds", kSecond},
    {"sec", kSecond},
    {"secs", kSecond},
    {"s", kSecond},
    {"minute", kMinute},
    {"minutes", kMinute},
    {"min", kMinute},
    {"mins", kMinute},
    {"hour", kHour},
    {"hours", kHour},
    {"hr", kHour},
    {"hrs", kHour},
    {"h", kHour},
    {"day", kDay},
    {"days", kDay},
    {"d", kDay},
};

std::string_view without_blanks(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// A parser that consumes a text from its beginning.
class TimeScanner {
 public:
  explicit TimeScanner(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool starts_with(char wanted) const { return text_.starts_with(wanted); }
  size_t leading_digits() const { return std::min(text_.find_first_not_of("0123456789"), text_.size()); }
  bool take(char wanted) {
    if (text_.empty() || text_[0] != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Parses a number of one to `most` digits.
  std::optional<int64_t> digits(size_t most) {
    size_t count = 0;
    while (count < most && count < text_.size() && text_[count] >= '0' && text_[count] <= '9') ++count;
    if (count == 0) return std::nullopt;
    int64_t value = 0;
    std::from_chars(text_.data(), text_.data() + count, value);
    text_.remove_prefix(count);
    return value;
  }
  // Parses the decimals of a second, in nanoseconds.
  std::optional<int64_t> fraction() {
    size_t count = 0;
    int64_t value = 0;
    for (; count < text_.size() && text_[count] >= '0' && text_[count] <= '9'; ++count)
      if (count < 9) value = 10 * value + (text_[count] - '0');
    if (count == 0) return std::nullopt;
    text_.remove_prefix(count);
    for (; count < 9; ++count) value *= 10;
    return value;
  }
  bool take_word(std::string_view word) {
    if (lower_case(text_.substr(0, word.size())) != word) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  void skip_blanks() {
    while (take(' ')) {
    }
  }

 private:
  std::string_view text_;
};

// Parses YEAR[-MM[-DD]], or YYYYMMDD. A year of more than four digits needs a month.
std::optional<Date> scan_date(TimeScanner& in) {
  const bool is_negative = in.take('-');
  if (!is_negative) in.take('+');
  const size_t length = in.leading_digits();
  const std::optional<int64_t> year = in.digits(9);
  if (!year) return std::nullopt;
  Date date{is_negative ? -*year : *year, 1, 1};
  if (length > 4 && !in.starts_with('-')) {
    if (length != 8 || is_negative) return std::nullopt;
    return Date{*year / 10000, static_cast<int>(*year / 100 % 100), static_cast<int>(*year % 100)};
  }
  for (int* part : {&date.month, &date.day}) {
    if (!in.take('-')) return date;
    const std::optional<int64_t> number = in.digits(2);
    if (!number) return std::nullopt;
    *part = static_cast<int>(*number);
  }
  return date;
}

// Parses HH[:MM[:SS[.fraction]]], or the same without colons. Returns nanoseconds since midnight.
std::optional<int64_t> scan_time_of_day(TimeScanner& in) {
  const size_t length = in.leading_digits();
  const bool is_packed = length == 4 || length == 6;
  const std::optional<int64_t> hour = in.digits(2);
  if (!hour || *hour > 24) return std::nullopt;
  int64_t time = *hour * kHour;
  if (!is_packed && !in.take(':')) return time;
  const std::optional<int64_t> minute = in.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  time += *minute * kMinute;
  if (is_packed ? length == 4 : !in.take(':')) return time;
  const std::optional<int64_t> second = in.digits(2);
  if (!second || *second > 60) return std::nullopt;
  time += *second * kSecond;
  if (!in.take('.')) return time;
  const std::optional<int64_t> fraction = in.fraction();
  return fraction ? std::optional(time + *fraction) : time;
}

// Parses Z, UTC, or ±HH[[:]MM]. Returns how far the zone is ahead of UTC; 0 if there is no zone.
std::optional<int64_t> scan_zone(TimeScanner& in) {
  in.skip_blanks();
  if (in.at_end() || in.take_word("utc") || in.take_word("gmt") || in.take('Z') || in.take('z')) return 0;
  const bool is_behind = in.take('-');
  if (!is_behind && !in.take('+')) return std::nullopt;
  const std::optional<int64_t> hours = in.digits(2);
  if (!hours) return std::nullopt;
  in.take(':');
  const int64_t zone = *hours * kHour + in.digits(2).value_or(0) * kMinute;
  return is_behind ? -zone : zone;
}

struct Moment {
  Date date;
  int64_t of_day;
};

// Parses a date, and a time of day after a T or a blank.
std::optional<Moment> scan_moment(TimeScanner& in, bool may_have_zone) {
  const std::optional<Date> date = scan_date(in);
  if (!date) return std::nullopt;
  Moment moment{*date, 0};
  const bool has_separator = in.take('T') || in.take('t') || in.take(' ');
  if (has_separator) {
    TimeScanner time = in;
    if (const std::optional<int64_t> of_day = scan_time_of_day(time)) {
      moment.of_day = *of_day;
      in = time;
    }
  }
  if (may_have_zone) {
    const std::optional<int64_t> zone = scan_zone(in);
    if (!zone) return std::nullopt;
    moment.of_day -= *zone;
    in.skip_blanks();
  }
  return in.at_end() ? std::optional(moment) : std::nullopt;
}

// Returns a / b rounded to the nearest integer, ties to even. Requires: b > 0.
Nanoseconds rounded_quotient(Nanoseconds a, Nanoseconds b) {
  const Nanoseconds below = floor_divide(a, b), over = a - below * b;
  if (over * 2 < b) return below;
  if (over * 2 > b) return below + 1;
  return below + (below & 1);
}

Nanoseconds checked_time(Nanoseconds time) {
  if (time > kFarthest || time < -kFarthest)
    throw unsupported("a time more than {} days from its reference", kMaxDays);
  return time;
}

// Returns whether the value is the double nearest to time / unit. The value is significand * 2^exponent.
// Requires: |time / unit| is at most about twice the value, time is 0 or at least a microsecond, exponent <
// 0.
bool reads_back(Nanoseconds time, int64_t unit, int64_t significand, int exponent) {
  if (time == 0) return significand == 0;
  const Nanoseconds scaled = time << (1 - exponent);
  const Nanoseconds below = Nanoseconds{2 * significand - 1} * unit,
                    above = Nanoseconds{2 * significand + 1} * unit;
  const bool is_even = significand % 2 == 0;
  return is_even ? below <= scaled && scaled <= above : below < scaled && scaled < above;
}

}  // namespace

std::optional<Calendar> calendar_named(std::string_view name) {
  const std::string lower = lower_case(name);
  constexpr std::pair<std::string_view, Calendar> kNames[] = {
      {"standard", Calendar::standard},
      {"gregorian", Calendar::standard},
      {"proleptic_gregorian", Calendar::proleptic_gregorian},
      {"julian", Calendar::julian},
      {"noleap", Calendar::no_leap},
      {"365_day", Calendar::no_leap},
      {"all_leap", Calendar::all_leap},
      {"366_day", Calendar::all_leap},
      {"360_day", Calendar::days_360},
  };
  for (const auto& [known, calendar] : kNames)
    if (lower == known) return calendar;
  return std::nullopt;
}

bool has_date(Calendar calendar, const Date& date) {
  if (date.month < 1 || date.month > 12 || date.day < 1 || std::abs(date.year) > kMaxDays / 400) return false;
  if (date.year == 0 && !has_year_zero(calendar)) return false;
  const int64_t year = astronomical_year(calendar, date.year);
  const Calendar rules = rules_in(calendar, year, date);
  const bool leap = is_leap(rules, year);
  const int year_length = calendar == Calendar::days_360 ? 360 : 365 + leap;
  const int end = date.month == 12 ? year_length : days_before(rules, leap, date.month + 1);
  if (date.day > end - days_before(rules, leap, date.month)) return false;
  const bool is_skipped =
      calendar == Calendar::standard && year == 1582 && date.month == 10 && date.day > 4 && date.day < 15;
  return !is_skipped;
}

int64_t days_of(Calendar calendar, const Date& date) {
  const int64_t year = astronomical_year(calendar, date.year);
  return days_of_rules(rules_in(calendar, year, date), year, date);
}

Date date_of(Calendar calendar, int64_t days) {
  const Calendar rules = rules_on(calendar, days);
  // The estimated year is at most one off, since leap days are counted by their mean.
  const int64_t shift = days - days_before_year(rules, 0);
  const double mean = rules == Calendar::days_360   ? 360
                      : rules == Calendar::no_leap  ? 365
                      : rules == Calendar::all_leap ? 366
                      : rules == Calendar::julian   ? 365.25
                                                    : 365.2425;
  int64_t year = static_cast<int64_t>(std::floor(static_cast<double>(shift) / mean));
  while (days_before_year(rules, year) > days) --year;
  while (days_before_year(rules, year + 1) <= days) ++year;
  const bool leap = is_leap(rules, year);
  const int day_of_year = static_cast<int>(days - days_before_year(rules, year));
  int month = 12;
  while (days_before(rules, leap, month) > day_of_year) --month;
  const int day = day_of_year - days_before(rules, leap, month) + 1;
  const bool is_before_year_one = !has_year_zero(calendar) && year <= 0;
  return {is_before_year_one ? year - 1 : year, month, day};
}

std::optional<TimeReference> TimeReference::parse(std::string_view units, Calendar calendar) {
  constexpr std::string_view kSince = " since ";
  const std::string lower = lower_case(units);
  const size_t since = lower.find(kSince);
  if (since == lower.npos) return std::nullopt;
  const std::string_view name = without_blanks(std::string_view(lower).substr(0, since));
  const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                 [&](const UnitName& each) { return each.name == name; });
  if (unit == std::end(kUnits)) return std::nullopt;
  TimeScanner in(without_blanks(units.substr(since + kSince.size())));
  const std::optional<Moment> moment = scan_moment(in, true);
  if (!moment || !has_date(calendar, moment->date)) return std::nullopt;
  TimeReference reference(calendar, unit->nanoseconds);
  reference.days_ = days_of(calendar, moment->date);
  reference.of_day_ = moment->of_day;
  return reference;
}

TimeReference TimeReference::since_1970(int64_t unit) {
  TimeReference reference(Calendar::proleptic_gregorian, unit);
  reference.days_ = days_of(Calendar::proleptic_gregorian, {1970, 1, 1});
  return reference;
}

Nanoseconds TimeReference::since_reference(int64_t count) const {
  return checked_time(Nanoseconds{count} * unit_);
}

Nanoseconds TimeReference::since_reference(uint64_t count) const {
  return checked_time(static_cast<Nanoseconds>(count) * unit_);
}

template <class Real>
Nanoseconds TimeReference::nearest(Real count) const {
  int exponent = 0;
  const auto significand =
      static_cast<int64_t>(std::ldexp(std::frexp(static_cast<double>(count), &exponent), 53));
  exponent -= 53;
  if (static_cast<double>(std::fabs(count)) * static_cast<double>(unit_) > static_cast<double>(kFarthest))
    throw unsupported("a time more than {} days from its reference", kMaxDays);
  const Nanoseconds product = Nanoseconds{significand} * unit_;
  if (exponent >= 0) return checked_time(product << exponent);
  if (exponent < -110) return 0;
  Nanoseconds time = 0;
  int64_t step = kSecond;
  for (int digits = 0; digits <= 6; ++digits, step /= 10) {
    // product / 2^-exponent / step, in two exact steps if the divisor is too large for one.
    const int shift = std::min(-exponent, 90);
    const Nanoseconds scaled = product >> (-exponent - shift);
    time = rounded_quotient(scaled, (Nanoseconds{1} << shift) * step) * step;
    if constexpr (std::is_same_v<Real, float>) {
      if (static_cast<float>(static_cast<double>(time) / static_cast<double>(unit_)) == count) return time;
    } else {
      if (reads_back(time, unit_, significand, exponent)) return time;
    }
  }
  return time;
}

bool TimeReference::is_near(double count) const {
  constexpr double kBelowTheLimit = 1 - 0x1p-50;  // by more than the product is rounded
  return std::fabs(count) * static_cast<double>(unit_) < static_cast<double>(kFarthest) * kBelowTheLimit;
}

Nanoseconds TimeReference::since_reference(double count) const {
  return checked_time(nearest(count));
}

Nanoseconds TimeReference::since_reference(float count) const {
  return checked_time(nearest(count));
}

void TimeReference::append_text(Nanoseconds since_reference, std::string& out) const {
  const Nanoseconds time = checked_time(since_reference) + of_day_;
  const Nanoseconds days = floor_divide<Nanoseconds>(time, kDay);
  const Date date = date_of(calendar_, days_ + static_cast<int64_t>(days));
  const auto of_day = static_cast<int64_t>(time - days * kDay);
  const int64_t second = of_day / kSecond;
  fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", date.year, date.month,
                 date.day, second / 3600, second / 60 % 60, second % 60);
  if (const int64_t fraction = of_day % kSecond; fraction != 0) {
    std::string digits = fmt::format(".{:09}", fraction);
    digits.erase(digits.find_last_not_of('0') + 1);
    out += digits;
  }
}

std::optional<Nanoseconds> TimeReference::parse_time(std::string_view text) const {
  TimeScanner in(text);
  const std::optional<Moment> moment = scan_moment(in, false);
  if (!moment || !has_date(calendar_, moment->date)) return std::nullopt;
  const int64_t days = days_of(calendar_, moment->date) - days_;
  return Nanoseconds{days} * kDay + moment->of_day - of_day_;
}

}  // namespace plainfs
