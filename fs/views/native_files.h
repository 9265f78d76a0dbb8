// Files that several others are made of.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/views/view.h"

namespace plainfs {

// Opens what open opens, but gives those who have it open at one time the same file. Copies share it too.
Opener shared_opener(Opener open);

// The directory 10x/ that Seurat's Read10X and scanpy's read_10x_mtx take: a matrix as Cell Ranger delivers
// it.

// Adds a file to the directory 10x/ among files, which is made where there is none.
void add_to_tenx_directory(OfferedFile file, std::vector<OfferedFile>& files);

// The files that other programs open without being told (fs/VIEWS.md, section 10), offered beside the views
// they come from.

// gz: 10x/ with matrix.mtx.gz, features.tsv.gz and barcodes.tsv.gz, of a matrix with names on both sides.
void offer_gz(const Node& node, Context& context, std::vector<OfferedFile>& files);

// h5: 10x.h5 in 10x/, of the same.
void offer_h5(const Node& node, Context& context, std::vector<OfferedFile>& files);

// h5ad: anndata.h5ad of what has an annotated matrix, assays/A.h5ad of Seurat's assays.
void offer_h5ad(const Node& node, Context& context, std::vector<OfferedFile>& files);

// seurat: seurat.rds of what has one annotated matrix, of a MuData's modalities, and of an h5Seurat file.
void offer_seurat(const Node& node, Context& context, std::vector<OfferedFile>& files);

// bgzf: fragments.tsv.gz and its index. Looks at one number of each chromosome to know which kind it has.
void offer_bgzf(const Node& node, Context& context, std::vector<OfferedFile>& files);

// rds: NAME.rds of tables and of arrays of rank 2 or more, matrix.rds of sparse matrices.
void offer_rds(const Node& node, Context& context, std::vector<OfferedFile>& files);

// parquet: NAME.parquet of what has an NAME.rds and is a table; found by name.
void offer_parquet(const Node& node, Context& context, std::vector<OfferedFile>& files);

// zarr: anndata.zarr/ beside what offer_h5ad offers; found by name.
void offer_zarr(const Node& node, Context& context, std::vector<OfferedFile>& files);

// bpcells: bpcells/ in the directory of every sparse matrix; found by name.
void offer_bpcells(const Node& node, Context& context, std::vector<OfferedFile>& files);

}  // namespace plainfs
