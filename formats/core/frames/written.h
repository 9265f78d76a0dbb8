// Values as they are written, where they have no bytes that an .npy should show.
#pragma once

#include "formats/core/model/array.h"

namespace plainfs::frames {

// values as text of variable length, each as a .csv shows it without quotes; missing ones stay missing. Text
// of variable length, and what has no fixed size, as it is.
ArrayPtr as_written(ArrayPtr values);

}  // namespace plainfs::frames
