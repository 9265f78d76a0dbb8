// Files that need more than the content of a node. Each of these functions is the `offer` of a row of the
// table of files (view.h); the row has the name of the file or directory, and fs/VIEWS.md specifies it.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/dense_entries.h"
#include "fs/native/position_index.h"
#include "fs/views/file_rows.h"

namespace plainfs {

using Files = std::vector<ViewEntry>;

// Adds a file to the directory 10x/ in `files`, which is created if it is missing: a matrix as Cell Ranger
// delivers it, and as Seurat's Read10X and scanpy's read_10x_mtx read it.
void add_to_tenx_directory(ViewEntry file, Files& files);

// Returns the attributes of a directory and of its members without their own directory, as one JSON object
// (fs/VIEWS.md, section 1). The key "." holds the directory's attributes, a member's name those of the
// member.
std::string attrs_json(const Node& directory);
// For a directory that has any attributes or has unreadable ones.
void offer_attributes(const FileRow& row, const Node& directory, Context& context, Files& files);

// For a CF dataset, for each of its variables, and for its tables: those that the row's view shows of a
// table.
void offer_netcdf_of_dataset(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_netcdf_of_variables(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_tables_of_variables(const FileRow& row, const Node& node, Context& context, Files& files);
// VAR/DIM=VALUE.csv for each variable.
void offer_coordinate_parts(const FileRow& row, const Node& node, Context& context, Files& files);

// In 10x/, for matrices with names on both sides.
void offer_tenx_matrix(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_tenx_features(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_tenx_barcodes(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_tenx_h5_of_matrix(const FileRow& row, const Node& node, Context& context, Files& files);

// For nodes with annotated matrices, for several each with its own name: ASSAY.h5ad in assays/.
void offer_h5ad_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_zarr_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files);
// For nodes with one annotated matrix, for the modalities of a MuData, and for h5Seurat files.
void offer_seurat(const FileRow& row, const Node& node, Context& context, Files& files);

ByteLayout rds_of_matrix(const SparseMatrix& matrix, Context& context);
void offer_rds_of_table(const FileRow& row, const Node& node, Context& context, Files& files);
// For arrays of rank 2 or more, and as tables for arrays of compounds.
void offer_rds_of_array(const FileRow& row, const Node& node, Context& context, Files& files);
// For tables that have a NAME.rds.
void offer_parquet_of_table(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_parquet_of_array(const FileRow& row, const Node& node, Context& context, Files& files);
// In the directory of every sparse matrix.
void offer_bpcells_of_matrix(const FileRow& row, const Node& node, Context& context, Files& files);

// The text that the row's name begins with in BGZF, and its index. Both kinds of index are offered, because
// it takes a read to know which one reaches all positions.
void offer_bgzf(const FileRow& row, const Node& node, Context& context, Files& files);
template <IndexKind kind>
void offer_bgzf_index(const FileRow& row, const Node& node, Context& context, Files& files);
// The number of fragments over each base of the genome. Without the lengths of chromosomes (-o genome=)
// reading it is an error, and chrom.sizes is missing.
void offer_coverage(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_chromosomes(const FileRow& row, const Node& node, Context& context, Files& files);

// Beside an image; with the name image in the root of a store that is an image.
void offer_ome_tif(const FileRow& row, const Node& node, Context& context, Files& files);
// Beside an image or an array of rank 2 or 3: its largest level in strips.
void offer_tif(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_preview_png(const FileRow& row, const Node& node, Context& context, Files& files);
// Beside an array of rank 2 or 3.
void offer_png_of_array(const FileRow& row, const Node& node, Context& context, Files& files);

// Parts of a matrix (fs/VIEWS.md, section 12).

// genes/ and cells/ in the directory of every matrix of genes by cells: a file per gene or cell, or for
// several at once.
void offer_genes_and_cells(const FileRow& row, const Node& node, Context& context, Files& files);
// by/COLUMN/LEVEL/: the cells of one level of an obs column as an annotated matrix, for nodes with an
// annotated matrix that has columns of cells, and with -o cells= for fragments. Listing by/ reads the text
// columns; listing by/COLUMN reads the whole column.
void offer_by(const FileRow& row, const Node& node, Context& context, Files& files);
// For nodes with an annotated matrix that has columns of cells: the sums of the counts of the cells of each
// level of one or several obs columns.
void offer_pseudobulk(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
