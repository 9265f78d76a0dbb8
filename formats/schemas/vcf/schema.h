// VCF Zarr: a group with the attribute vcf_zarr_version holds the contents of a VCF file, an array for each
// field.
#pragma once

#include "formats/core/model/store.h"

namespace plainfs::vcf {

// Returns such a group, of versions 0.2 to 0.4, as Variants. Its arrays are unchanged, and a table `sites` of
// the fixed fields and INFO is added. Nullopt for any other node.
std::optional<Node> refine(const Node& node, Context& context);
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::vcf
