// The matrices of a Seurat assay with all of its features and all cells of the object. The assay may keep
// them in several parts and in any order.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::annotated {

// Returns whether a layer is counts, data or scale.data, which every assay may have, or one of the parts into
// which split() divides counts or data.
bool is_standard_layer(std::string_view name);

class SeuratLayers {
 public:
  // assay: the group of the assay. features, cells: names of the matrices' rows and columns.
  SeuratLayers(GroupPtr assay, ArrayPtr features, ArrayPtr cells, Context& context)
      : assay_(std::move(assay)),
        features_(std::move(features)),
        cells_(std::move(cells)),
        context_(context) {}

  // Returns whether the assay has layers, in which Seurat 5 keeps its matrices.
  bool has_layers() const;
  // Returns the member of the assay called name, unchanged; for Seurat 5, the layer of that name.
  std::optional<Node> stored(std::string_view name) const;
  // Returns the matrix called name, features by cells: stored(name) if it has all features and cells in their
  // order. Otherwise joins the sparse matrix of that name, or the layers NAME.* that split() made of it, by
  // the names of features and cells; a feature that is in no layer is zero, which is logged. monostate if
  // there is nothing of that name. Throws unsupported, with the name of the layer, if cells are missing or
  // the parts cannot be joined.
  Content matrix(std::string_view name) const;
  // Returns the reason why the matrix called name, or a layer into which it was split, cannot be read by any
  // reader, if it is known without reading data.
  std::optional<Error> refusal(std::string_view name) const;
  // Returns whether the assay has a matrix called name, or layers into which it was split.
  bool has(std::string_view name) const;
  // Returns the content of a matrix if it has all features and cells, in their order; otherwise monostate.
  Content whole(const Node& matrix) const;
  // Returns why the layers do not belong to the object's cells: the assay has other cells, or another order.
  std::optional<Error> fault_of_cells() const;

 private:
  // Layers that are the parts of one matrix.
  struct Parts {
    std::string names;  // the layers, as messages call them
    std::vector<SparseMatrix> matrices;
  };
  std::pair<GroupPtr, std::vector<std::string>> split_layers(std::string_view name) const;
  Parts parts_of(std::string_view name) const;
  void add_part(const std::string& name, const std::optional<Node>& node, Parts& parts) const;

  const GroupPtr assay_;
  const ArrayPtr features_;
  const ArrayPtr cells_;
  Context& context_;
};

// Returns the reason why no file can hold the assay, if it is known without reading data: it has data or
// counts, and each of them is refused.
std::optional<Error> refusal_of_assay(const GroupPtr& assay, Context& context);

}  // namespace plainfs::annotated
