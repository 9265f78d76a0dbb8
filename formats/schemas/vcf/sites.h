// The fixed fields and INFO of variants as a table with a row for each.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::vcf {

// Returns the table: CHROM, POS, ID, REF, ALT, QUAL, FILTER, then INFO. Lists are one text, joined with
// commas. place: the path of the group, for messages. Reads nothing.
Table sites_of(const Variants& variants, const std::string& place, Context& context);

}  // namespace plainfs::vcf
