// The molecules of a molecule_info.h5 (versions 3 to 6) as one table with text in place of indices.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::tenx {

// The stored lists: one value for each molecule, then the lists that their indices refer to.
struct Molecules {
  ArrayPtr barcode_idx, feature_idx, umi, count, gem_group;
  ArrayPtr library_idx;  // may be null
  ArrayPtr barcodes, feature_ids;
  ArrayPtr feature_names;  // may be null
};

// Returns the lists in a group; nullopt if it lacks a required member. Reads no data.
std::optional<Molecules> molecules_in(const Group& group);

// Returns a table with a row for each molecule: barcode (with its GEM well), umi, feature_id, feature_name,
// count, library.
Table molecule_table(const Molecules& molecules, Context& context);

}  // namespace plainfs::tenx
