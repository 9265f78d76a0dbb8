// The matrices of a Seurat assay with all of its features and all cells of the object, in however many parts
// and whichever order the assay keeps them.
#pragma once

#include <optional>
#include <string_view>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::annotated {

class SeuratLayers {
 public:
  // assay: its group. features, cells: names of the matrices' rows and columns.
  SeuratLayers(GroupPtr assay, ArrayPtr features, ArrayPtr cells, Context& context)
      : assay_(std::move(assay)),
        features_(std::move(features)),
        cells_(std::move(cells)),
        context_(context) {}

  // Whether the assay has layers, as Seurat 5 keeps its matrices.
  bool has_layers() const;
  // What stands under that name in the assay, as it is; of Seurat 5 the layer of that name.
  std::optional<Node> stored(std::string_view name) const;
  // Features by cells: what is stored() under that name, where it is so large; else, of a sparse matrix that
  // has names or of the layers NAME.* that split() made of one, the entries of these features and cells, zero
  // where no layer has the feature. monostate where that is not all of it.
  Content matrix(std::string_view name) const;
  // Why the layers are not those of the object's cells: the assay names others, or in another order.
  std::optional<Error> fault_of_cells() const;

 private:
  std::vector<SparseMatrix> parts_of(std::string_view name) const;

  const GroupPtr assay_;
  const ArrayPtr features_;
  const ArrayPtr cells_;
  Context& context_;
};

}  // namespace plainfs::annotated
