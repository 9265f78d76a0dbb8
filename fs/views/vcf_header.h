// The header of a VCF: the lines that the store kept, and one for each field, filter and contig that those do
// not declare.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/variants.h"

namespace plainfs {

// Returns the header up to the line #CHROM. contigs, filters: names as in the lines. samples: if empty, there
// are no sample columns. Throws damaged if the lines kept in the store are not a header.
std::string vcf_header(const Variants& variants, const std::vector<std::string>& contigs,
                       const std::vector<std::string>& filters, const std::vector<std::string>& samples);

}  // namespace plainfs
