// VCF Zarr: a group with the attribute vcf_zarr_version holds what a VCF file holds, an array a field.
#pragma once

#include "formats/core/model/store.h"

namespace plainfs::vcf {

// Such a group, of versions 0.2 to 0.4, as Variants, its arrays left as they are, and with a table `sites` of
// the fixed fields and INFO.
std::optional<Node> refine(const Node& node, Context& context);
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::vcf
