// The text formats of the views: the lines that each file has for its content.
#pragma once

#include <memory>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/nested_array.h"
#include "formats/core/model/node.h"
#include "formats/core/model/variants.h"
#include "fs/native/byte_layout.h"
#include "fs/text/text_file.h"

namespace plainfs {

// Returns an array as CSV (fs/VIEWS.md, section 3): one element per line at rank 0 and 1, one row per line at
// rank 2; at higher ranks the lines run over all indices but the last, in order. With names, it has a header
// and a name before each line. Requires: array.values has no compounds as elements.
std::unique_ptr<TextSource> csv_array(LabelledArray array, Context& context);

// Returns a table as CSV (fs/VIEWS.md, section 4): a header and one line per row, the row names first. A
// compound, as a column or as a separate array, becomes one column per member.
std::unique_ptr<TextSource> csv_table(Table table, Context& context);
// Returns an array of compounds as CSV: one line per element, in C order. Requires: array.values has
// compounds as elements.
std::unique_ptr<TextSource> csv_compounds(LabelledArray array, Context& context);

// Returns the elements of a ragged column, one per line (fs/VIEWS.md, section 7): the id of their row, a tab,
// the value, in stored order. Elements that are arrays or compounds are JSON. prepare() reads all indices. It
// throws damaged if they do not fit their data, or if there are more rows than ids.
std::unique_ptr<TextSource> ragged_tsv(RowElements elements, Context& context);
// Returns the table with each ragged column replaced by NAME_count, the number of lines that each row has in
// that text, so that no cell is longer than a number. check() of such a column reads all indices and throws
// like prepare() above.
Table with_counts(Table table);

// Returns a sparse matrix as MatrixMarket coordinates (fs/VIEWS.md, section 5): 1-based indices, in stored
// order.
std::unique_ptr<TextSource> mtx(SparseMatrix matrix, Context& context);

// Returns matrix.mtx of a dense array of rank 2: a line for each non-zero element, in the order of the array.
// The pass that measures the text also counts the lines for the header. Zeros are left out, including -0; NaN
// and missing values (`NA`) stay. transposed: the rows of the text are the array's columns. Throws damaged if
// the array is not of rank 2.
std::unique_ptr<TextSource> dense_mtx(ArrayPtr values, bool transposed, Context& context);

// Returns genes.tsv or barcodes.tsv of a matrix (fs/VIEWS.md, section 5): one name per line, or two fields
// separated by a tab. fields: at least one list, all of the same length (otherwise damaged on use). A list
// that occurs twice is read once.
std::unique_ptr<TextSource> names_tsv(std::vector<ArrayPtr> fields, Context& context);

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

}  // namespace plainfs
