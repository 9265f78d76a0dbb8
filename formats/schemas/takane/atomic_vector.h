// atomic_vector 1.x: values of one type in contents.h5, with or without names. Source: takane 0.10.0,
// include/takane/atomic_vector.hpp.
#pragma once

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Throws where the file or its group is not there; whatever else is wrong makes only contents.csv damaged.
Node open_atomic_vector(const Opening& opening);

// The object whose contents.csv are those values, with the names of group beside them where it has any.
// Throws damaged where the names do not fit.
Node open_contents(const ObjectPlace& place, const Group& group, const ArrayPtr& values, Context& context);
// The same where there are no values to show.
Node broken_contents(const ObjectPlace& place, const Error& error, Context& context);

}  // namespace plainfs::takane
