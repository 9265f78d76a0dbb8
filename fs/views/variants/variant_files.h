// The files of variants and their genotypes.
#pragma once

#include <memory>

#include "formats/core/model/contents/variants.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/layout/byte_layout.h"
#include "fs/text/text_file.h"
#include "fs/views/file_rows.h"

namespace plainfs {

// Returns variants.vcf (fs/VIEWS.md, section 7, "VCF Zarr"): one line per variant. If lines are long, a block
// is a part of one. Its lines have positions (TextSource::position_index). The index is csi only if tbi
// cannot represent all positions, which is also tabix's choice for VCF.
std::unique_ptr<TextSource> variants_vcf(Variants variants, Context& context);

// Returns genotypes.bgen (fs/VIEWS.md, section 10): BGEN 1.2, layout 2, eight bits per probability, not
// compressed, for the sites of two alleles. It may contain calls of one and of two alleles, and the size of a
// variant's part depends on their numbers, so it is measured like a text.
std::unique_ptr<TextSource> bgen(Variants variants, Context& context);

// Return PLINK 1's files for the sites of two alleles (fs/VIEWS.md, section 10), as `plink2 --make-bed`
// writes them. plink.bed: two bits per call, at a computable offset once the sites are known. Throws the
// errors of finding the sites, and damaged if parts do not fit.
ByteLayout plink_bed(const Variants& variants, Context& context);
std::unique_ptr<TextSource> plink_bim(Variants variants, Context& context);

// samples.tsv: the names of the samples.
void offer_samples(const FileRow& row, const Node& node, Context& context, Files& files);
// Files of genotypes. One that cannot be generated is unlisted and reports the reason.
void offer_plink_bed(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_plink_bim(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_plink_fam(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_bgen(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_bgen_samples(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
