// Codes and the labels they stand for: AnnData's categorical groups (codes and categories, -1 missing), its
// codes with a reference to their categories, and R's factors as HDF5 files have them (levels and 1-based
// values).
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

// Whether array is a list of whole numbers, as codes are.
bool are_codes(const Array& array);

// codes with base - 1, which stands for a missing value, marked as that: -1 of codes from 0, 0 of those from
// 1. Codes of other types stay as they are.
ArrayPtr codes_from(ArrayPtr codes, int64_t base);

// The attribute ordered: true, or a number that is not 0. What cannot be read, or is something else, is told
// of with place and is no order, for only files of other programs show one.
bool are_ordered(const Attributes& attributes, const std::string& place, Context& context);

// The labels of codes from 0, -1 missing. Any other code without a label is NA, told of once with place.
ArrayPtr categorical(ArrayPtr codes, ArrayPtr categories, const std::string& place, Context& context,
                     bool is_ordered = false);

// The labels of a group of codes and categories. A part that is absent, no list, or of another kind gives an
// array that throws damaged when it is used.
ArrayPtr categorical_group(const Group& group, Context& context);

}  // namespace plainfs::frames
