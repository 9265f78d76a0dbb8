// matrix.mtx of a dense array of rank 2: a line for each element that is not zero, in the order of the array.
// How many those are, which the header says, comes out of the pass that measures the text.
#pragma once

#include <memory>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/text/text_file.h"

namespace plainfs {

// Zeros are left out, -0 too; NaN and missing values (`NA`) stay. transposed: the rows of the text are the
// array's columns. Throws damaged where the array is not of rank 2.
std::unique_ptr<TextSource> dense_mtx(ArrayPtr values, bool transposed, Context& context);

}  // namespace plainfs
