// Finders of annotated matrices and Seurat objects, one for each kind of store. annotated_matrices.h and
// seurat_objects.h call them one after the other. Each has a file of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/left_out.h"
#include "formats/annotated/mudata_parts.h"
#include "formats/core/model/contents/seurat_object.h"

namespace plainfs::annotated {

// Finds an AnnData (anndata_group.cc): a group with members obs and var that are tables, or compounds of
// anndata 0.5 and 0.6.
void find_anndata(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found);

// Records that the parts which a MuData derives from its modalities are in each file: the modalities' names
// of genes, and the masks and maps of their cells and genes.
void add_derived_parts(const Group& mudata, const std::vector<std::string>& modalities, Origins& origins);

// Finds Bioconductor's summarized experiments and the classes derived from them (experiment.cc): groups with
// assays beside row_data or column_data. They are found at the root of a store in takane's directories, and
// anywhere (an alternative experiment too) if these members are tables themselves, as in R objects. X is the
// first assay, as in zellkonverter; the other assays are layers, reduced dimensions are obsm.
void find_experiment(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found);

// Finds the matrix of a 10x run (tenx_run.cc): a mirrored folder with the outputs of Cell Ranger, Space
// Ranger or Xenium. Its tables, in files of their own, are obs and obsm.
void find_run(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found);

// Finds an experiment anywhere, in takane's directories too.
void find_nested_experiment(const Node& directory, Context& context,
                            std::vector<FoundAnnotatedMatrix>& found);

// Finds the assays of an h5Seurat file (seurat_assays.cc): in the group /assays of a file with cell.names and
// meta.data, one annotated matrix for each assay, with the assay's name.
void find_seurat_assays(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found);
// Returns the annotated matrix of an assay, given the assay's directory.
std::optional<FoundAnnotatedMatrix> find_seurat_assay(const Node& directory, Context& context);

// Returns the assays of a Seurat object as modalities, without maps: each with its features, matrices, graphs
// and the reductions that are its own; the cells' columns, lists, slides and global reductions are common to
// all. An assay that is a layer of the active one is no modality. root: the directory of the object.
// Requires: it has assays.
MuDataParts seurat_mudata(const GroupPtr& root, Context& context);

// Returns what a MuData has beside its modalities (anndata_group.cc). modalities: their names, which are also
// those of masks of their cells and genes.
AnnotatedMatrix mudata_annotations(const GroupPtr& root, const std::vector<std::string>& modalities,
                                   Context& context);

// Finds the Seurat object that an h5Seurat file or an R object holds (stored_seurat.cc): a directory with
// cell.names, assays and meta.data. Keys that are not stored are empty, identities null. Layers that were
// split are joined. Neighbours, images, commands, misc and tools are left out.
std::optional<std::function<SeuratObject()>> find_stored_seurat(const Node& directory, Context& context);

}  // namespace plainfs::annotated
