// Genomic fragments as 10x's fragments.tsv (fs/VIEWS.md, section 6).
#pragma once

#include <memory>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/text/text_file.h"

namespace plainfs {

// An IndexedText (fs/native/position_index.h).
std::unique_ptr<TextSource> fragments_tsv(Fragments fragments, Context& context);

}  // namespace plainfs
