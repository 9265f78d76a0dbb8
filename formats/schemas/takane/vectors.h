// atomic_vector 1.x: values of one type in contents.h5, with or without names. Source: takane 0.10.0,
// include/takane/atomic_vector.hpp.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/arrays/array.h"
#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Opens an atomic vector. Throws if the file or its group is absent; any other fault makes only contents.csv
// damaged.
Node open_atomic_vector(const Opening& opening);

// Returns an object with values as its contents.csv, beside the names in group, if it has any. Throws damaged
// if the names do not fit.
Node open_contents(const ObjectPlace& place, const Group& group, const ArrayPtr& values, Context& context);
// Returns an object with a contents.csv that throws error.
Node broken_contents(const ObjectPlace& place, const Error& error, Context& context);

// string_factor 1.x: codes and their levels in contents.h5. Source: takane 0.10.0,
// include/takane/string_factor.hpp.

// Opens a string factor. Throws like open_atomic_vector.
Node open_string_factor(const Opening& opening);

// Single values in an object's file.

// Returns the text of an array of one element, whatever its rank; nullopt if it is null or anything else.
std::optional<std::string> scalar_text(const ArrayPtr& array);
// Returns an integer that is not negative. Throws damaged if array is null or anything else. what: its name
// for the message.
uint64_t scalar_number(const ArrayPtr& array, const char* what);

}  // namespace plainfs::takane
