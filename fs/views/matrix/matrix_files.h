// The files of a matrix: MatrixMarket with its names, the files of 10x/, and BPCells.
#pragma once

#include <memory>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/text/text_file.h"
#include "fs/text/view_entry.h"
#include "fs/views/file_rows.h"

namespace plainfs {

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

// Returns a sparse matrix as the directory of BPCells, unpacked, in its version 2, for open_matrix_dir.
// Values are uint if they are non-negative integers that fit, otherwise float or double; the values are
// searched if their type does not decide it. Indices ascend in each column (or in each row of a matrix stored
// by row), as BPCells requires. Names that do not fit are left out. Reading throws damaged if the parts do
// not fit or an entry is duplicated, and unsupported if BPCells cannot represent a value or name.
ListEntries bpcells_directory(const SparseMatrix& matrix, Context& context);

// Returns a sparse matrix as the .csv of the same matrix stored densely, with its names. Entries of a matrix
// by column are sorted when the text is first read. Throws damaged if the parts do not fit.
std::unique_ptr<TextSource> csv_of_matrix(const SparseMatrix& matrix, Context& context);

// matrix.csv of a sparse matrix, for programs that read no other.
void offer_csv_of_matrix(const FileRow& row, const Node& node, Context& context, Files& files);
// matrix.mtx of an array, genes.tsv and barcodes.tsv.
void offer_mtx_of_array(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_row_names(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_column_names(const FileRow& row, const Node& node, Context& context, Files& files);

// In 10x/, for matrices with names on both sides.
void offer_tenx_matrix(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_tenx_features(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_tenx_barcodes(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_tenx_h5_of_matrix(const FileRow& row, const Node& node, Context& context, Files& files);

// In the directory of every sparse matrix.
void offer_bpcells_of_matrix(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
