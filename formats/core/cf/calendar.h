// The calendars of the CF conventions (section 4.4.1), and times that are counted in a unit since a
// reference: "hours since 1900-01-01 00:00:00". The results agree with cftime and xarray.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/core/base/int128.h"

namespace plainfs {

enum class Calendar {
  standard,             // Julian until 1582-10-04, then Gregorian from 1582-10-15; no year 0
  proleptic_gregorian,  // with a year 0
  julian,               // no year 0
  no_leap,              // 365 days a year
  all_leap,             // 366 days a year
  days_360,             // 12 months of 30 days
};

// Returns the calendar of that name, in any case; nullopt for one that CF does not define.
std::optional<Calendar> calendar_named(std::string_view name);

struct Date {
  int64_t year;
  int month;  // 1 to 12
  int day;    // from 1
};

// Convert between a date and the days since a fixed day of the calendar. Requires: the date exists in the
// calendar, |days| < 2^40.
int64_t days_of(Calendar calendar, const Date& date);
Date date_of(Calendar calendar, int64_t days);
// Returns whether the date exists in the calendar.
bool has_date(Calendar calendar, const Date& date);

using Nanoseconds = Int128;

// A unit of time and the moment from which it is counted.
class TimeReference {
 public:
  // Parses the attribute `units` ("days since 2000-01-01T06:00:00Z", "days since 20000101"). Returns nullopt
  // if the text has another form, if its unit has no fixed length (months, years), or if the date does not
  // exist in the calendar.
  static std::optional<TimeReference> parse(std::string_view units, Calendar calendar);

  // Returns the reference of times that are counted from 1970, as numpy's are. unit: nanoseconds of one
  // count.
  static TimeReference since_1970(int64_t unit);

  Calendar calendar() const { return calendar_; }

  // Returns the nanoseconds since the reference. For a real number, returns the time with the fewest decimals
  // of a second, up to six, that converts back to the number, else the nearest microsecond. Throws
  // unsupported for a time over 2^40 days away. Requires: count is finite.
  Nanoseconds since_reference(int64_t count) const;
  Nanoseconds since_reference(uint64_t count) const;
  Nanoseconds since_reference(double count) const;
  Nanoseconds since_reference(float count) const;

  // Returns false if since_reference(count) throws, and for counts just below those that do.
  template <class Count>
  bool reaches(Count count) const {
    return is_near(static_cast<double>(count));
  }

  // Appends YYYY-MM-DDTHH:MM:SS and the decimals of the second, if any. Throws unsupported for a time over
  // 2^40 days from the reference.
  void append_text(Nanoseconds since_reference, std::string& out) const;

  // Parses a time in the format of append_text(), which may be cut off at the right down to a date
  // (2020-01-01T06, 2020-01-01). Returns nullopt if text is not a time of the calendar.
  std::optional<Nanoseconds> parse_time(std::string_view text) const;

 private:
  TimeReference(Calendar calendar, int64_t unit) : calendar_(calendar), unit_(unit) {}

  template <class Real>
  Nanoseconds nearest(Real count) const;
  bool is_near(double count) const;

  Calendar calendar_;
  int64_t unit_;      // nanoseconds
  int64_t days_ = 0;  // of the reference
  Nanoseconds of_day_ =
      0;  // nanoseconds from midnight to the reference; negative or over a day because of its zone
};

}  // namespace plainfs
