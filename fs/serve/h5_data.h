// The values of an array as h5grove's data/ answers them: JSON, their bytes, .npy or TIFF.
#pragma once

#include "formats/core/model/context.h"
#include "fs/serve/asked.h"
#include "fs/serve/h5_selection.h"

namespace plainfs::serve {

// By the query: selection, flatten, dtype and format. Nothing is held whole: pieces go out as they are made.
// Throws WrongQuestion before anything is sent.
void answer_h5_data(const Asked& asked, const ArrayPtr& array, Context& context);

}  // namespace plainfs::serve
