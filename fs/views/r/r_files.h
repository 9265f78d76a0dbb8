// The files that R's readRDS reads: Seurat objects, and the rows of the table of files that rds.h implements.
#pragma once

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/contents/seurat_object.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/layout/byte_layout.h"
#include "fs/views/file_rows.h"

namespace plainfs {

// Returns a Seurat object held by a store, as an .rds file: what saveRDS(x, compress = FALSE) of R 4.2 writes
// for the object that Seurat 4.3 builds from the same parts. Seurat 4 and 5 read it. Keys and identities
// missing from the store are generated as Seurat does. Throws unsupported if Seurat refuses names, damaged if
// parts do not fit.
ByteLayout seurat_rds(SeuratObject object, Context& context);
// Returns a Seurat object built from annotated matrices (fs/views/r/seurat_parts.h).
ByteLayout seurat_rds(const JointMatrices& joint, Context& context);

// For nodes with one annotated matrix, for the modalities of a MuData, and for h5Seurat files.
void offer_seurat(const FileRow& row, const Node& node, Context& context, Files& files);
// For sparse matrices of numbers.
void offer_rds_of_sparse(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_rds_of_coordinates(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_rds_of_table(const FileRow& row, const Node& node, Context& context, Files& files);
// For arrays of rank 2 or more, and as tables for arrays of compounds.
void offer_rds_of_array(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
