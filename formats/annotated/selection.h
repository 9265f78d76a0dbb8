// Some of the cells of an annotated matrix, as an annotated matrix: nothing is copied, every array gives what
// it is asked for from that of all cells.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/mutex.h"
#include "formats/annotated/annotated_matrices.h"
#include "formats/core/algebra/gathered.h"

namespace plainfs {

// The given cells in their order, which rises: obs, X, layers, raw and obsm. Sparse ones keep the order they
// are stored in, dense ones are in C order, factors have all of their levels; var is as it is. Without varm,
// obsp, varp and raw's varm. What does not have the cells of matrix is an Error in it. Reads nothing.
// Requires: all below matrix.cells.
AnnotatedMatrix selected_cells(const AnnotatedMatrix& matrix, const Indices& cells, Context& context);

// An annotated matrix as a group with the names that AnnData has for its parts, whatever they have where they
// are stored. annotated_matrices() finds it in it.
class AnnotatedGroup : public Group {
 public:
  // stored: what the matrix is of, in whose place it stands. make: called when it is first asked for.
  AnnotatedGroup(GroupPtr stored, std::function<AnnotatedMatrix()> make)
      : stored_(std::move(stored)), make_(std::move(make)) {}

  // Throws what making it throws.
  AnnotatedMatrix matrix() const;
  std::vector<Member> members() const override;
  GroupPtr parent() const override { return stored_->parent(); }
  std::string path() const override { return stored_->path(); }
  // How many of these stand in each other's place, this one included.
  size_t depth() const {
    const auto* const outer = dynamic_cast<const AnnotatedGroup*>(stored_.get());
    return 1 + (outer ? outer->depth() : 0);
  }

 private:
  const GroupPtr stored_;
  const std::function<AnnotatedMatrix()> make_;
  mutable Mutex making_;  // lets it be made once
  mutable std::optional<AnnotatedMatrix> made_ GUARDED_BY(making_);
};

}  // namespace plainfs
