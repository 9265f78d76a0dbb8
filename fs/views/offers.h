// The offers of each view (their table is views.cc), and helpers for such files.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/views/view.h"

namespace plainfs {

// Returns an opener that opens the file with `open` and shares it between all concurrent users. Copies of the
// opener share it too.
Opener shared_opener(Opener open);

// Adds a file to the directory 10x/ in `files`, which is created if it is missing: a matrix as Cell Ranger
// delivers it, and as Seurat's Read10X and scanpy's read_10x_mtx read it.
void add_to_tenx_directory(ViewEntry file, std::vector<ViewEntry>& files);

// Returns the attributes of a directory and of its members without their own directory, as one JSON object
// (fs/VIEWS.md, section 1). The key "." holds the directory's attributes, a member's name those of the
// member.
std::string attrs_json(const Node& directory);
// Offers ".attrs.json" inside a directory that has any attributes or has unreadable ones.
void offer_attrs_json(const Node& directory, Context& context, std::vector<ViewEntry>& files);

// Files that other programs open without conversion (fs/VIEWS.md, section 10), offered beside the views they
// come from.

// Offers for the view nc: dataset.nc in a CF dataset, and NAME.nc for each of its variables, found by name.
void offer_nc(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers NAME/DIM=VALUE.csv for each variable of a CF dataset, found by name.
void offer_coordinate_parts(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers NAME.table with the table extensions of a view, for each variable of a CF dataset; found by name.
using Offer = void (*)(const Node& node, Context& context, std::vector<ViewEntry>& files);
void offer_tables_of_variables(const Node& node, Offer offer, Context& context,
                               std::vector<ViewEntry>& files);

// Offers for the view gz: 10x/ with matrix.mtx.gz, features.tsv.gz and barcodes.tsv.gz, for matrices with
// names on both sides.
void offer_gz(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers for the view h5: 10x.h5 in 10x/, for the same matrices.
void offer_h5(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers for the view h5ad: anndata.h5ad for nodes with an annotated matrix, assays/A.h5ad for Seurat's
// assays.
void offer_h5ad(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers for the view zarr: anndata.zarr/ beside the files of offer_h5ad; found by name.
void offer_zarr(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers for the view seurat: seurat.rds for nodes with one annotated matrix, for the modalities of a MuData,
// and for h5Seurat files.
void offer_seurat(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers for the view rds: NAME.rds for tables and arrays of rank 2 or more, matrix.rds for sparse matrices.
void offer_rds(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers for the view parquet: NAME.parquet for tables that have a NAME.rds; found by name.
void offer_parquet(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers for the view bpcells: bpcells/ in the directory of every sparse matrix; found by name.
void offer_bpcells(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers for the view bgzf: fragments.tsv.gz or variants.vcf.gz, with its indexes.
void offer_bgzf(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers for the view bw: coverage.bw, the number of fragments over each base of the genome, and chrom.sizes;
// found by name. Without the lengths of chromosomes (-o genome=) reading the first reports an error, and the
// second is missing.
void offer_bw(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers for the view ome: NAME.ome.tif beside an image; image.ome.tif in the root of a store that is an
// image.
void offer_ome(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers for the view tif: NAME.tif beside an image or an array of rank 2 or 3: its largest level in strips;
// found by name.
void offer_tif(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers for the view png: preview.png in the directory of an image; NAME.png beside an array of rank 2 or 3,
// found by name.
void offer_png(const Node& node, Context& context, std::vector<ViewEntry>& files);

// Parts of a matrix (fs/VIEWS.md, section 12), found by name; all belong to the view `parts`.

// Offers genes/ and cells/ in the directory of every matrix of genes by cells: a file per gene or cell, or
// for several at once.
void offer_matrix_parts(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers by/COLUMN/LEVEL/: the cells of one level of an obs column as an annotated matrix, for nodes with an
// annotated matrix that has columns of cells, and with -o cells= for fragments. Listing by/ reads the text
// columns; listing by/COLUMN reads the whole column.
void offer_by(const Node& node, Context& context, std::vector<ViewEntry>& files);
// Offers pseudobulk/ beside every anndata.h5ad that has columns of cells: the sums of the counts of the cells
// of each level of one or several obs columns.
void offer_pseudobulk(const Node& node, Context& context, std::vector<ViewEntry>& files);

}  // namespace plainfs
