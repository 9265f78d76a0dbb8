// The meaning of the arrays and attributes of a VCF Zarr group.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::vcf {

// Returns the variants in a group. A missing required array throws damaged on every use.
// An array that cannot be a field is left out with a notice. Reads metadata only.
Variants stored_variants(const Group& group, const Attributes& attributes, Context& context);

}  // namespace plainfs::vcf
