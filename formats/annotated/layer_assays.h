// Parts of an annotated matrix that a Seurat object keeps outside of the assay: layers and `raw` as assays of
// their own, and further annotations as lists in `misc`.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/annotated/left_out.h"
#include "formats/annotated/uns_tree.h"
#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs::annotated {

// The active assay of an object, and what its annotated matrix has so far.
struct ActiveAssay {
  GroupPtr root;  // of the object
  std::string name;
  ArrayPtr features;  // texts
  ArrayPtr cells;     // texts
};

// Adds the layers that are assays of their own: those with the features of the active assay, in its order,
// and nothing but one matrix. Adds the assay `raw` as raw, whatever its features, with their metadata. Reads
// the features, and the values of counts and data that may be equal.
void add_layer_assays(const ActiveAssay& assay, AnnotatedMatrix& generated, Origins& origins,
                      Context& context);

// Adds the members of the lists varm, varp, obsm, obsp and raw$varm in `misc` that have a row for each gene
// or cell, unless a reduction or a graph has their name. Requires: add_layer_assays() was called.
// Returns the paths of these members in `misc`.
std::set<UnsTree::Path> add_annotations_in_misc(const ActiveAssay& assay, AnnotatedMatrix& generated,
                                                Origins& origins, Context& context);

}  // namespace plainfs::annotated
