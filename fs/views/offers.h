// What each view offers, of which content (their table is views.cc), and what is common to such files.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/views/view.h"

namespace plainfs {

// Opens what open opens, but gives those who have it open at one time the same file. Copies share it too.
Opener shared_opener(Opener open);

// Adds a file to the directory 10x/ among files, which is made where there is none: a matrix as Cell Ranger
// delivers it, and as Seurat's Read10X and scanpy's read_10x_mtx take it.
void add_to_tenx_directory(OfferedFile file, std::vector<OfferedFile>& files);

// The attributes of a directory and of its members that have no directory of their own, as one JSON object
// (fs/VIEWS.md, section 1): key "." for the directory's, the member's name for a member's.
std::string attrs_json(const Node& directory);
// Offers ".attrs.json" inside a directory that has any attributes, or whose attributes cannot be read.
void offer_attrs_json(const Node& directory, Context& context, std::vector<OfferedFile>& files);

// The files that other programs open without being told (fs/VIEWS.md, section 10), offered beside the views
// they come from.

// nc: dataset.nc in a CF dataset, and NAME.nc of each of its variables, found by its name.
void offer_nc(const Node& node, Context& context, std::vector<OfferedFile>& files);
// NAME/DIM=VALUE.csv of each variable of a CF dataset, found by name.
void offer_coordinate_parts(const Node& node, Context& context, std::vector<OfferedFile>& files);
// NAME.table with the extensions that a view has for a table, of each variable of a CF dataset; found by
// name.
using Offer = void (*)(const Node& node, Context& context, std::vector<OfferedFile>& files);
void offer_tables_of_variables(const Node& node, Offer offer, Context& context,
                               std::vector<OfferedFile>& files);

// gz: 10x/ with matrix.mtx.gz, features.tsv.gz and barcodes.tsv.gz, of a matrix with names on both sides.
void offer_gz(const Node& node, Context& context, std::vector<OfferedFile>& files);
// h5: 10x.h5 in 10x/, of the same.
void offer_h5(const Node& node, Context& context, std::vector<OfferedFile>& files);
// h5ad: anndata.h5ad of what has an annotated matrix, assays/A.h5ad of Seurat's assays.
void offer_h5ad(const Node& node, Context& context, std::vector<OfferedFile>& files);
// zarr: anndata.zarr/ beside what offer_h5ad offers; found by name.
void offer_zarr(const Node& node, Context& context, std::vector<OfferedFile>& files);
// seurat: seurat.rds of what has one annotated matrix, of a MuData's modalities, and of an h5Seurat file.
void offer_seurat(const Node& node, Context& context, std::vector<OfferedFile>& files);
// rds: NAME.rds of tables and of arrays of rank 2 or more, matrix.rds of sparse matrices.
void offer_rds(const Node& node, Context& context, std::vector<OfferedFile>& files);
// parquet: NAME.parquet of what has an NAME.rds and is a table; found by name.
void offer_parquet(const Node& node, Context& context, std::vector<OfferedFile>& files);
// bpcells: bpcells/ in the directory of every sparse matrix; found by name.
void offer_bpcells(const Node& node, Context& context, std::vector<OfferedFile>& files);
// bgzf: fragments.tsv.gz and its index. Looks at one number of each chromosome to know which kind it has.
void offer_bgzf(const Node& node, Context& context, std::vector<OfferedFile>& files);
// bw: coverage.bw, how many fragments lie over each base of the genome, and chrom.sizes, found by their
// names. Without the lengths of chromosomes (-o genome=) the first says so, and there is no second.
void offer_bw(const Node& node, Context& context, std::vector<OfferedFile>& files);
// ome: NAME.ome.tif beside an image; image.ome.tif in the root of a store that is one.
void offer_ome(const Node& node, Context& context, std::vector<OfferedFile>& files);
// tif: NAME.tif beside an image and an array of rank 2 or 3, found by its name: its largest level in strips.
void offer_tif(const Node& node, Context& context, std::vector<OfferedFile>& files);
// png: preview.png in the directory of an image; NAME.png beside an array of rank 2 or 3, found by its name.
void offer_png(const Node& node, Context& context, std::vector<OfferedFile>& files);

// Parts of a matrix (fs/VIEWS.md, section 12), found by their names; all of them are the view `parts`.

// genes/ and cells/ in the directory of every matrix of genes by cells: a file a gene, a file a cell, several
// at once.
void offer_matrix_parts(const Node& node, Context& context, std::vector<OfferedFile>& files);
// by/COLUMN/LEVEL/: the cells of one level of a column of obs as an annotated matrix of their own, of what
// has one whose cells have columns, and with -o cells= of fragments. Its listing reads the columns of texts,
// that of a column all of it.
void offer_by(const Node& node, Context& context, std::vector<OfferedFile>& files);
// pseudobulk/ beside every anndata.h5ad whose cells have columns: the counts of the cells of each level of a
// column of obs, or of several columns, added up.
void offer_pseudobulk(const Node& node, Context& context, std::vector<OfferedFile>& files);

}  // namespace plainfs
