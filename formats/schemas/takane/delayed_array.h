// delayed_array 1.x: operations on arrays that were not carried out when it was saved, in array.h5, over
// arrays in that file or in seeds/ (delayed_tree.h). Source: takane 0.10.0, include/takane/delayed_array.hpp.
#pragma once

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// As a sparse matrix where all it is made of are, else as delayed_array.csv; what cannot be told or is not
// supported is delayed_array.csv too, which says so.
Node open_delayed_array(const Opening& opening);

}  // namespace plainfs::takane
