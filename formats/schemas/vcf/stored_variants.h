// What the arrays and attributes of a VCF Zarr group mean.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::vcf {

// A part that has to be there and is not is an array whose every use is damage. What cannot be a field is
// left out, which is told of. Reads metadata only.
Variants stored_variants(const Group& group, const Attributes& attributes, Context& context);

}  // namespace plainfs::vcf
