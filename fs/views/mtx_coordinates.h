// matrix.mtx of a matrix whose entries each say their row and column (fs/VIEWS.md, section 5).
#pragma once

#include <memory>

#include "formats/core/model/node.h"
#include "fs/text/text_file.h"

namespace plainfs {

// In the order stored. prepare() throws damaged where the lists differ in length; an index outside the matrix
// is damage of its block.
std::unique_ptr<TextSource> mtx_coordinates(CoordinateMatrix matrix, Context& context);

}  // namespace plainfs
