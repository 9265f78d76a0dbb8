// Arrays made of other arrays: a factor maps codes to labels, a missing-value rule marks NA, a logical reads
// integers as FALSE and TRUE. With them no view knows factors or NA rules.
#pragma once

#include <functional>
#include <string>

#include "formats/model/array.h"
#include "formats/model/context.h"

namespace plainfs {

// What a factor's code is that stands for no level: odd, or against a rule of the format.
enum class StrayCode { oddity, broken_rule };

// codes (any integers) as labels: text, where code - base is an index into levels (text, numbers or booleans,
// shown as a .csv shows them); anything else is NA. A code that is neither missing in codes nor a level is
// told once, with place ("/meta.data/x") in the message.
ArrayPtr factor(ArrayPtr codes, ArrayPtr levels, int64_t base, std::string place, Context& context,
                StrayCode stray = StrayCode::oddity);

// values of the same dtype and shape with missing[i] set where is_missing(elements, i).
// Elements that values itself marks stay missing.
using MissingRule = std::function<void(const Elements& elements, std::vector<uint8_t>& missing)>;
ArrayPtr with_missing(ArrayPtr values, MissingRule rule);

// Integers read as Kind::logical of the same size: 0 FALSE, every other TRUE. Missing marks stay. Values of
// another kind give an array that throws unsupported when it is used.
ArrayPtr as_logical(ArrayPtr values);

// The same elements with other dimensions or order (a scalar stored as shape [1], R's column-major arrays). A
// shape of another number of elements gives an array that throws damaged when it is used.
ArrayPtr with_shape(ArrayPtr values, Shape shape, bool column_major);

}  // namespace plainfs
