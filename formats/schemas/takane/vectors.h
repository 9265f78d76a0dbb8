// atomic_vector 1.x: values of one type in contents.h5, with or without names. Source: takane 0.10.0,
// include/takane/atomic_vector.hpp.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/array.h"
#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Throws where the file or its group is not there; whatever else is wrong makes only contents.csv damaged.
Node open_atomic_vector(const Opening& opening);

// The object whose contents.csv are those values, with the names of group beside them where it has any.
// Throws damaged where the names do not fit.
Node open_contents(const ObjectPlace& place, const Group& group, const ArrayPtr& values, Context& context);
// The same where there are no values to show.
Node broken_contents(const ObjectPlace& place, const Error& error, Context& context);

// string_factor 1.x: codes and their levels in contents.h5. Source: takane 0.10.0,
// include/takane/string_factor.hpp.

// Throws as open_atomic_vector.
Node open_string_factor(const Opening& opening);

// Single values in an object's file.

// The text of an array of one, whatever its rank; nullopt where it is null or something else.
std::optional<std::string> scalar_text(const ArrayPtr& array);
// A whole number that is not negative. Throws damaged where array is null or something else; what names it.
uint64_t scalar_number(const ArrayPtr& array, const char* what);

}  // namespace plainfs::takane
