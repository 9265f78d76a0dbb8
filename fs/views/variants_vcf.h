// variants.vcf (fs/VIEWS.md, section 7, "VCF Zarr"): a line a variant. Where lines are long, a block is a
// part of one.
#pragma once

#include <memory>

#include "formats/core/model/variants.h"
#include "fs/text/text_file.h"

namespace plainfs {

// Its lines have positions (TextSource::position_index). There is an index of the kind csi only where one of
// the kind tbi does not reach all positions, which is what tabix makes for VCF.
std::unique_ptr<TextSource> variants_vcf(Variants variants, Context& context);

}  // namespace plainfs
