// genotypes.bgen (fs/VIEWS.md, section 10): BGEN 1.2, layout 2, eight bits a probability, not compressed, of
// the sites of two alleles. Calls of one and of two alleles may stand beside each other.
#pragma once

#include <memory>

#include "formats/core/model/variants.h"
#include "fs/text/text_file.h"

namespace plainfs {

// How long a variant's part is depends on how many of its calls have one allele: sized as a text is.
std::unique_ptr<TextSource> bgen(Variants variants, Context& context);

}  // namespace plainfs
