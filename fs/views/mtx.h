// A sparse matrix as MatrixMarket coordinates (fs/VIEWS.md, section 5): 1-based indices, in the order stored.
#pragma once

#include <memory>

#include "formats/core/model/node.h"
#include "fs/text/text_file.h"

namespace plainfs {

std::unique_ptr<TextSource> mtx(SparseMatrix matrix, Context& context);

}  // namespace plainfs
