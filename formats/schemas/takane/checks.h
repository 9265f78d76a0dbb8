// The rules of a data frame that need its values. They are checked once, on first use of a column or the
// table. A violation that makes the values untrustworthy throws damaged from check(); any other is a warning.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs::takane {

// Returns whether text matches ^dddd-(0d|1[0-2])-([0-2]d|3[01])$, which is takane's rule: day 00 and 31
// February are accepted.
bool is_date(std::string_view text);
// Returns whether text is a date and time of RFC 3339 with T and a zone. 24:00:00 and a leap second are
// allowed.
bool is_date_time(std::string_view text);

// Calls visit(first row, elements) for all elements of a rank-1 array, some thousands at a time.
void for_each_run(const Array& values, const std::function<void(uint64_t, const Elements&)>& visit);
// Returns element i of a string array of any kind, without padding.
std::string_view text_of(const DType& type, const Elements& elements, uint64_t i);

// Throws damaged if values contains a NULL string. what: the values, for the message. Like all_distinct(),
// reads the whole array.
void require_no_null_strings(const Array& values, const std::string& what);
// Returns whether no two of texts are equal.
bool all_distinct(const Array& texts);

}  // namespace plainfs::takane
