// Genomic fragments as 10x's fragments.tsv (fs/VIEWS.md, section 6).
#pragma once

#include <memory>
#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/native/fragments_index.h"
#include "fs/text/text_file.h"

namespace plainfs {

// Measuring it makes the index of its lines on the way.
std::unique_ptr<TextSource> fragments_tsv(Fragments fragments, Context& context);

// What the index file of text holds (FragmentsIndexer::finish); measures it where nobody has. Requires: it is
// made of fragments_tsv().
std::string fragments_index(TextFile& text, FragmentsIndex kind);

}  // namespace plainfs
