// The two sides of an AnnData: cells (obs) and genes (var), those of raw too, and the names that their tables
// give them. Looked up once, when first asked for; reads attributes and opens members, but no elements.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "cache/mutex.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::anndata {

enum class Side { none, obs, var, raw_var };

struct SideNames {
  ArrayPtr names;  // null = unknown; those that cannot be read throw when they are used
  ArrayPtr ids;    // of genes, from the column gene_ids; null = none
};

// Thread-safe.
class Sides {
 public:
  // root: of an AnnData or MuData, with the members that today's layout has.
  Sides(GroupPtr root, Context& context) : root_(std::move(root)), context_(context) {}

  SideNames of(Side side) const;
  // The names for count rows or columns on that side, null where there are none that fit. place: for the
  // warning, "/obsm/X_pca: rows".
  ArrayPtr fitting(Side side, uint64_t count, const std::string& place) const;
  // The ids beside fitting names; null where there are none that fit.
  ArrayPtr fitting_ids(Side side, uint64_t count, const std::string& place) const;
  const Group& root() const { return *root_; }
  Context& context() const { return context_; }

 private:
  SideNames read(Side side) const;

  const GroupPtr root_;
  Context& context_;
  struct Slot {
    Mutex mutex;
    std::optional<SideNames> names GUARDED_BY(mutex);  // where they are known for good
  };
  mutable std::array<Slot, 4> slots_;
};
using SidesPtr = std::shared_ptr<const Sides>;

}  // namespace plainfs::anndata
