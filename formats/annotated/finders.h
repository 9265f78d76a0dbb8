// Where each kind of store keeps an annotated matrix, or a Seurat object: what annotated_matrices.h and
// seurat_objects.h ask one after the other. Each in a file of its own.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "formats/annotated/annotated_matrices.h"
#include "formats/core/model/seurat_object.h"

namespace plainfs::annotated {

// AnnData's (anndata_group.cc): of a group whose members obs and var are tables, or compounds of anndata 0.5
// and 0.6.
void find_anndata(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found);

// Bioconductor's summarized experiments, and what derives from them (experiment.cc): of assays beside
// row_data or column_data, in takane's directories at a store's root, and anywhere where these are tables
// themselves, as R objects have them (there an alternative experiment is one too). X is the first assay, as
// zellkonverter has it; the others are layers, reduced dimensions obsm.
void find_experiment(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found);

// The assays of an h5Seurat file (seurat_assays.cc): of the group /assays of a file with cell.names and
// meta.data, an annotated matrix an assay, called as it is.
void find_seurat_assays(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found);
// Of one of its members, that assay's.
std::optional<FoundAnnotatedMatrix> find_seurat_assay(const Node& directory, Context& context);

// The Seurat object that an h5Seurat file or an R object holds (stored_seurat.cc): of a directory with
// cell.names, assays and meta.data. Keys that are not told are empty, identities null; layers that were split
// are joined; neighbours, images, commands, misc and tools are left out.
std::optional<std::function<SeuratObject()>> find_stored_seurat(const Node& directory, Context& context);

}  // namespace plainfs::annotated
