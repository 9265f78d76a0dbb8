// The header of a VCF: the lines that the store kept, and one for each field, filter and contig that they do
// not declare.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/variants.h"

namespace plainfs {

// Up to the line #CHROM. contigs, filters: names as they stand in the lines; samples: none = no column of
// them. Throws damaged where what the store keeps is no header.
std::string vcf_header(const Variants& variants, const std::vector<std::string>& contigs,
                       const std::vector<std::string>& filters, const std::vector<std::string>& samples);

}  // namespace plainfs
