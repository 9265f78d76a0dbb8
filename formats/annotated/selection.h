// Selections of the cells of an annotated matrix, which are annotated matrices, and of fragments. Nothing is
// copied: each array reads the selected elements from the array of all cells on demand.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/lazy.h"
#include "formats/annotated/annotated_matrices.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/derived_group.h"

namespace plainfs {

// Returns the given cells, in ascending order: obs, X, layers, raw and obsm. Sparse matrices keep their
// stored order, dense ones are in C order, factors have all of their levels; var is unchanged. varm, obsp,
// varp and the varm of raw are left out. A part with another number of cells than matrix becomes an Error.
// Reads nothing. Requires: all below matrix.cells.
AnnotatedMatrix selected_cells(const AnnotatedMatrix& matrix, const Indices& cells, Context& context);

// Returns the given genes, in ascending order: X, layers, var, varm and the names of the cells. Reads
// nothing. Requires: all below matrix.genes.
AnnotatedMatrix selected_genes(const AnnotatedMatrix& matrix, const Indices& genes, Context& context);

// Returns the given rows of a table, in their order; they may repeat. Factors keep all of their levels. Reads
// nothing. Requires: all below table.rows.
Table selected_rows(const Table& table, const Indices& rows, Context& context);

// An annotated matrix as a group with AnnData's names for its parts, whatever their names in the store.
// annotated_matrices() finds the matrix in it.
class AnnotatedGroup : public DerivedGroup {
 public:
  // stored: the matrix's group, which this one replaces. make: called on first use.
  AnnotatedGroup(GroupPtr stored, std::function<AnnotatedMatrix()> make)
      : DerivedGroup(std::move(stored)), make_(std::move(make)) {}

  // Returns the matrix. Throws what making it throws.
  AnnotatedMatrix matrix() const;
  std::vector<Member> members() const override;
  std::optional<Node> find_unlisted(std::string_view) const override { return std::nullopt; }
  Attributes attributes() const override { return {}; }
  // Returns whether the matrix is a part of the stored one.
  virtual bool is_selection() const { return true; }
  // Returns the number of nested selections, this one included.
  size_t depth() const {
    const auto* const outer = dynamic_cast<const AnnotatedGroup*>(&stored());
    return (is_selection() ? 1 : 0) + (outer ? outer->depth() : 0);
  }

 private:
  const std::function<AnnotatedMatrix()> make_;
  // Apart from the group, because a directory of levels has thousands of groups, most of them never entered.
  Lazy<std::shared_ptr<const AnnotatedMatrix>> generated_;
};

// Returns the fragments of the marked cells in their order, with all names. cells: one value for each cell of
// cell_names, 1 = marked. Reads nothing: one pass over the cells finds the fragments when they are evaluated.
Fragments selected_fragments(const Fragments& fragments, std::vector<uint8_t> cells, Context& context);

}  // namespace plainfs
