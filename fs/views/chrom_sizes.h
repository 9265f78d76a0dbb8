// The sequences of a genome as a chrom.sizes file, as bedtools (-g) and UCSC's tools want it: name, tab,
// length.
#pragma once

#include <memory>

#include "formats/core/model/node.h"
#include "fs/text/text_file.h"

namespace plainfs {

// A line a sequence, in the order stored; those of unknown length are left out.
std::unique_ptr<TextSource> chrom_sizes(SequenceLengths sequences, Context& context);

}  // namespace plainfs
