// The calendars of the CF conventions (section 4.4.1), and times that are counted in a unit since a
// reference: "hours since 1900-01-01 00:00:00". cftime and xarray read the same dates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plainfs {

enum class Calendar {
  standard,             // Julian until 1582-10-04, then Gregorian from 1582-10-15; no year 0
  proleptic_gregorian,  // with a year 0
  julian,               // no year 0
  no_leap,              // 365 days a year
  all_leap,             // 366 days a year
  days_360,             // 12 months of 30 days
};

// Returns the calendar of that name, whatever its case; nullopt for one that CF does not define.
std::optional<Calendar> calendar_named(std::string_view name);

struct Date {
  int64_t year;
  int month;  // 1 to 12
  int day;    // from 1
};

// Days since a fixed day of the calendar, and back. Requires: the date exists in the calendar, |days| < 2^40.
int64_t days_of(Calendar calendar, const Date& date);
Date date_of(Calendar calendar, int64_t days);
// Returns whether the calendar has such a date.
bool has_date(Calendar calendar, const Date& date);

__extension__ typedef __int128 Nanoseconds;

// A unit of time and the moment that it is counted from.
class TimeReference {
 public:
  // Parses the attribute `units` ("days since 2000-01-01T06:00:00Z"). Returns nullopt if it is no such text,
  // if its unit has no fixed length (months, years), or if the calendar has no such date.
  static std::optional<TimeReference> parse(std::string_view units, Calendar calendar);

  Calendar calendar() const { return calendar_; }

  // Nanoseconds since the reference. Of a real number: the time with the fewest digits of a second, up to
  // six, whose count in the unit reads back to the number; else the nearest microsecond. Throws unsupported
  // for a time over 2^40 days away. Requires: value is finite.
  Nanoseconds since_reference(int64_t count) const;
  Nanoseconds since_reference(uint64_t count) const;
  Nanoseconds since_reference(double count) const;
  Nanoseconds since_reference(float count) const;

  // Appends YYYY-MM-DDTHH:MM:SS and the digits of the second that there are. Throws unsupported for a time
  // over 2^40 days from the reference.
  void append_text(Nanoseconds since_reference, std::string& out) const;

  // Parses a time as append_text() writes it, from the right as short as a date (2020-01-01T06, 2020-01-01).
  // Returns nullopt if text is no time of the calendar.
  std::optional<Nanoseconds> parse_time(std::string_view text) const;

 private:
  TimeReference(Calendar calendar, int64_t unit) : calendar_(calendar), unit_(unit) {}

  template <class Real>
  Nanoseconds nearest(Real count) const;

  Calendar calendar_;
  int64_t unit_;      // nanoseconds
  int64_t days_ = 0;  // of the reference
  Nanoseconds of_day_ =
      0;  // nanoseconds of the reference since its midnight; negative or over a day by its zone
};

}  // namespace plainfs
