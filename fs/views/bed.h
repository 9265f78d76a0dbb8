// Genomic ranges as a BED file of six columns: chromosome, start, end, name, score, strand
// (https://samtools.github.io/hts-specs/BEDv1.pdf).
#pragma once

#include <memory>

#include "formats/core/model/node.h"
#include "fs/text/text_file.h"

namespace plainfs {

// In the order stored: 0-based starts, names `.` where there are none or empty ones, score 0, strand `.` for
// either. Lists of different lengths are damage of all of it, and so is a range that begins before the first
// base, which BED cannot say, or whose sequence or strand is none.
std::unique_ptr<TextSource> bed(GenomicRanges ranges, Context& context);

}  // namespace plainfs
