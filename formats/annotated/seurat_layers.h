// The matrices of a Seurat assay with all of its features and all cells of the object, in however many parts
// and whichever order the assay keeps them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::annotated {

// Whether a layer is counts, data or scale.data, which every assay may have, or a part that split() made of
// counts or data.
bool is_standard_layer(std::string_view name);

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
  // Features by cells: what is stored() under that name, if it is so large; else, of a sparse matrix that has
  // names or of the layers NAME.* that split() made of one, the entries of these features and cells, zero
  // where no layer has the feature, which is logged. monostate if there is nothing of that name. Throws
  // unsupported, with the name of the layer, if it has not all of the cells, or cannot be joined.
  Content matrix(std::string_view name) const;
  // The content of a matrix if it has all features and cells; else monostate.
  Content whole(const Node& matrix) const;
  // Why the layers are not those of the object's cells: the assay names others, or in another order.
  std::optional<Error> fault_of_cells() const;

 private:
  // The layers that are parts of one matrix.
  struct Parts {
    std::string names;  // of the layers, as they are called together
    std::vector<SparseMatrix> matrices;
  };
  Parts parts_of(std::string_view name) const;
  void add_part(const std::string& name, const std::optional<Node>& node, Parts& parts) const;

  const GroupPtr assay_;
  const ArrayPtr features_;
  const ArrayPtr cells_;
  Context& context_;
};

}  // namespace plainfs::annotated
