// The texts that views make, each in the file of its name: what a line is, of which content.
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

// An array as CSV (fs/VIEWS.md, section 3): one element a line at rank 0 and 1, one row a line at rank 2, at
// higher ranks all indices but the last in order down the lines. With names, a header and a name before each
// line. Requires: array.values is no array of compounds.
std::unique_ptr<TextSource> csv_array(LabelledArray array, Context& context);

// A table as CSV (fs/VIEWS.md, section 4): a header and one line a row, the row names first. A compound, as a
// column or as an array by itself, gives one column a member.
std::unique_ptr<TextSource> csv_table(Table table, Context& context);
// One line an element, in C order. Requires: array.values is an array of compounds.
std::unique_ptr<TextSource> csv_compounds(LabelledArray array, Context& context);

// The elements of a ragged column one a line (fs/VIEWS.md, section 7): the id of their row, a tab, the value,
// in the order stored; an element that is an array or a compound is JSON. prepare() reads all indices; it
// throws damaged where they do not fit their data, or there are more rows than ids.
std::unique_ptr<TextSource> ragged_tsv(RowElements elements, Context& context);
// The table with the number of lines that each row has in that text, under NAME_count, in the place of every
// ragged column: no cell of it is longer than a number. check() of such a column reads all indices and throws
// what prepare() above does.
Table with_counts(Table table);

// A sparse matrix as MatrixMarket coordinates (fs/VIEWS.md, section 5): 1-based indices, in the order stored.
std::unique_ptr<TextSource> mtx(SparseMatrix matrix, Context& context);

// matrix.mtx of a dense array of rank 2: a line for each element that is not zero, in the order of the array.
// How many those are, which the header says, comes out of the pass that measures the text. Zeros are left
// out, -0 too; NaN and missing values (`NA`) stay. transposed: the rows of the text are the array's columns.
// Throws damaged where the array is not of rank 2.
std::unique_ptr<TextSource> dense_mtx(ArrayPtr values, bool transposed, Context& context);

// genes.tsv and barcodes.tsv of a matrix (fs/VIEWS.md, section 5): a name a line, or two fields with a tab
// between. fields: lists of one length (else damaged when it is used), at least one; a list that stands twice
// is read once.
std::unique_ptr<TextSource> names_tsv(std::vector<ArrayPtr> fields, Context& context);

// Genomic fragments as 10x's fragments.tsv (fs/VIEWS.md, section 6). Its lines have positions
// (TextSource::position_index).
std::unique_ptr<TextSource> fragments_tsv(Fragments fragments, Context& context);

// Genomic ranges as a BED file of six columns: chromosome, start, end, name, score, strand
// (https://samtools.github.io/hts-specs/BEDv1.pdf). In the order stored: 0-based starts, names `.` where
// there are none or empty ones, score 0, strand `.` for either. Lists of different lengths, and a range whose
// sequence or strand does not exist, are damaged; a range that starts before 1 is inexpressible.
std::unique_ptr<TextSource> bed(GenomicRanges ranges, Context& context);

// The sequences of a genome as a chrom.sizes file, as bedtools (-g) and UCSC's tools want it: name, tab,
// length. A line a sequence, in the order stored; those of unknown length are left out.
std::unique_ptr<TextSource> chrom_sizes(SequenceLengths sequences, Context& context);

// variants.vcf (fs/VIEWS.md, section 7, "VCF Zarr"): a line a variant. Where lines are long, a block is a
// part of one. Its lines have positions (TextSource::position_index). There is an index of the kind csi only
// where one of the kind tbi does not reach all positions, which is what tabix makes for VCF.
std::unique_ptr<TextSource> variants_vcf(Variants variants, Context& context);

// genotypes.bgen (fs/VIEWS.md, section 10): BGEN 1.2, layout 2, eight bits a probability, not compressed, of
// the sites of two alleles. Calls of one and of two alleles may stand beside each other, and how long a
// variant's part is depends on how many have one: sized as a text is.
std::unique_ptr<TextSource> bgen(Variants variants, Context& context);

// PLINK 1's files of the sites of two alleles (fs/VIEWS.md, section 10), as `plink2 --make-bed` makes them.
// plink.bed: two bits a call; where one stands is arithmetic, once it is known which variants are such sites.
// Throws what finding that out throws, and damaged where parts do not fit.
ByteLayout plink_bed(const Variants& variants, Context& context);
std::unique_ptr<TextSource> plink_bim(Variants variants, Context& context);

}  // namespace plainfs
