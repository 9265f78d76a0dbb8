// genes.tsv and barcodes.tsv of a matrix (fs/VIEWS.md, section 5): a name a line, or two fields with a tab
// between.
#pragma once

#include <memory>
#include <vector>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "fs/text/text_file.h"

namespace plainfs {

// fields: lists of one length (else damaged when it is used), at least one; a list that stands twice is read
// once.
std::unique_ptr<TextSource> names_tsv(std::vector<ArrayPtr> fields, Context& context);

}  // namespace plainfs
