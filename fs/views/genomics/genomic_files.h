// The files of fragments, of ranges and of the sequences of a genome, and the compressed and indexed texts.
#pragma once

#include <memory>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/text/text_file.h"
#include "fs/views/file_rows.h"
#include "fs/views/genomics/position_index.h"

namespace plainfs {

// Returns genomic fragments as 10x's fragments.tsv (fs/VIEWS.md, section 6). Its lines have positions
// (TextSource::position_index).
std::unique_ptr<TextSource> fragments_tsv(Fragments fragments, Context& context);

// Returns genomic ranges as a BED file of six columns: chromosome, start, end, name, score, strand
// (https://samtools.github.io/hts-specs/BEDv1.pdf), in stored order. Starts are 0-based, missing or empty
// names are `.`, the score is 0, and the strand is `.` for either. Lists of different lengths and ranges with
// an invalid sequence or strand are damaged. A range that starts before 1 is inexpressible.
std::unique_ptr<TextSource> bed(GenomicRanges ranges, Context& context);

// Returns the sequences of a genome as a chrom.sizes file, for bedtools (-g) and UCSC's tools: name, tab,
// length. One line per sequence, in stored order; sequences of unknown length are left out.
std::unique_ptr<TextSource> chrom_sizes(SequenceLengths sequences, Context& context);

// The text that the row's name begins with in BGZF, and its index. Both kinds of index are offered, because
// it takes a read to know which one reaches all positions.
void offer_bgzf(const FileRow& row, const Node& node, Context& context, Files& files);
template <IndexKind kind>
void offer_bgzf_index(const FileRow& row, const Node& node, Context& context, Files& files);
// The number of fragments over each base of the genome. Without the lengths of chromosomes (-o genome=)
// reading it is an error, and chrom.sizes is missing.
void offer_coverage(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_chromosomes(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
