// Genomic fragments as 10x's fragments.tsv (fs/VIEWS.md, section 6).
#pragma once

#include <memory>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/text/text_file.h"

namespace plainfs {

// Its lines have positions (TextSource::position_index).
std::unique_ptr<TextSource> fragments_tsv(Fragments fragments, Context& context);

}  // namespace plainfs
