// Times that are counted in numbers which may have a fraction, as R does it: days since 1970 (Date), and
// seconds since 1970 in UTC (POSIXct). A number that is none, or infinite, is no time.
#pragma once

#include "formats/core/model/array.h"

namespace plainfs {

// numbers: integers of 32 bits or reals of 64. A fraction of a day is dropped towards the past. A number
// beyond 2^53 is unsupported when it is read, here and below.
ArrayPtr days_since_1970(ArrayPtr numbers);

// Text, as YYYY-MM-DDTHH:MM:SSZ, with the fewest digits behind the second that read back to the number.
ArrayPtr instants_since_1970(ArrayPtr numbers);

// The numbers that instants_since_1970() was given; null of any other array.
ArrayPtr instant_numbers(const Array& array);

// How many digits an instant has behind its second where it has most. numbers: as of instants_since_1970().
size_t instant_digits(const Array& numbers, uint64_t first, uint64_t count);

// Such numbers as counts of `unit` (seconds, or milli to nano), kNotATime of those that are none. What has
// more digits, or is too far from 1970 to be counted, is unsupported when it is read.
ArrayPtr counted_instants(ArrayPtr numbers, TimeUnit unit);

}  // namespace plainfs
