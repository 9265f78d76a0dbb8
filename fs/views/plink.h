// PLINK 1's files of the sites of two alleles: plink.bed and plink.bim (fs/VIEWS.md, section 10), as `plink2
// --make-bed` makes them.
#pragma once

#include <memory>

#include "formats/core/model/variants.h"
#include "fs/native/byte_layout.h"
#include "fs/text/text_file.h"

namespace plainfs {

// Two bits a call; where one stands is arithmetic, once it is known which variants are such sites. Throws
// what finding that out throws, and damaged where parts do not fit.
ByteLayout plink_bed(const Variants& variants, Context& context);

std::unique_ptr<TextSource> plink_bim(Variants variants, Context& context);

}  // namespace plainfs
