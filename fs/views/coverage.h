// How many fragments lie over each base of the genome, as a bigWig, and the lengths of its chromosomes
// (fs/VIEWS.md, section 10).
#pragma once

#include "fs/views/view.h"

namespace plainfs {

// bw: coverage.bw and chrom.sizes of fragments, found by their names. Without the lengths of chromosomes (-o
// genome=) the first says so, and there is no second.
void offer_bw(const Node& node, Context& context, std::vector<OfferedFile>& files);

}  // namespace plainfs
