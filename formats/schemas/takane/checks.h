// The rules of a data frame that need its values: checked when a column or the table is first used, once. A
// broken rule that makes the values untrustworthy throws damaged from check(); one that does not is a
// warning.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs::takane {

// ^dddd-(0d|1[0-2])-([0-2]d|3[01])$, as takane has it: day 00 and 31 February pass.
bool is_date(std::string_view text);
// RFC 3339 with T and a zone; 24:00:00 and a leap second are allowed.
bool is_date_time(std::string_view text);

// Calls visit(first row, elements) for all elements of a rank-1 array, some thousands at a time.
void for_each_run(const Array& values, const std::function<void(uint64_t, const Elements&)>& visit);
// Element i of a string array of any kind, padding removed.
std::string_view text_of(const DType& type, const Elements& elements, uint64_t i);

// Rules. Each reads all of values.
void require_no_null_strings(const Array& values, const std::string& what);
// true where no two are equal.
bool all_distinct(const Array& texts);

}  // namespace plainfs::takane
