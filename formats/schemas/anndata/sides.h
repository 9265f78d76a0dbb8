// The sides of an AnnData: cells (obs) and genes (var, and those of raw), with the names that their tables
// give them. They are looked up once, on first use. Reads attributes and opens members, but reads no
// elements.
#pragma once

#include <array>
#include <memory>

#include "cache/lazy.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::anndata {

enum class Side { none, obs, var, raw_var };

struct SideNames {
  ArrayPtr names;  // null = unknown; throw on use if they cannot be read
  ArrayPtr ids;    // of genes, from the column gene_ids; null = none
};

// A cache of the names of all sides. Thread-safe.
class Sides {
 public:
  // root: the root of an AnnData or MuData, with the current layout.
  Sides(GroupPtr root, Context& context) : root_(std::move(root)), context_(context) {}

  SideNames of(Side side) const;
  // Returns the names of count rows or columns on that side, null if there are no fitting ones. place: for
  // the warning, "/obsm/X_pca: rows".
  ArrayPtr fitting(Side side, uint64_t count, const std::string& place) const;
  // Returns the ids beside the names; null if there are no fitting ones.
  ArrayPtr fitting_ids(Side side, uint64_t count, const std::string& place) const;
  const Group& root() const { return *root_; }
  Context& context() const { return context_; }

 private:
  SideNames read(Side side) const;

  const GroupPtr root_;
  Context& context_;
  std::array<Lazy<SideNames>, 4> sides_;  // empty while reading the names fails for now
};
using SidesPtr = std::shared_ptr<const Sides>;

}  // namespace plainfs::anndata
