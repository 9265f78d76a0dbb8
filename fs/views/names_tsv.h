// genes.tsv and barcodes.tsv of a sparse matrix (fs/VIEWS.md, section 5): a name a line, or twice with a tab
// between.
#pragma once

#include <memory>

#include "formats/model/array.h"
#include "formats/model/context.h"
#include "fs/text/text_file.h"

namespace plainfs {

std::unique_ptr<TextSource> names_tsv(ArrayPtr names, bool twice, Context& context);

}  // namespace plainfs
