// The variants in a VCF Zarr group, and their fixed fields and INFO as a table with a row for each.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::vcf {

// Returns the variants in a group. A missing required array throws damaged on every use.
// An array that cannot be a field is left out with a notice. Reads metadata only.
Variants stored_variants(const Group& group, const Attributes& attributes, Context& context);

// Returns the table: CHROM, POS, ID, REF, ALT, QUAL, FILTER, then INFO. Lists are one text, joined with
// commas. place: the path of the group, for messages. Reads nothing.
Table sites_of(const Variants& variants, const std::string& place, Context& context);

}  // namespace plainfs::vcf
