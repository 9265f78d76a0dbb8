// The molecules of a molecule_info.h5 (versions 3 to 6) as one table, its numbers spelled out.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::tenx {

// The stored lists: one value a molecule, then those that its indices lead to.
struct Molecules {
  ArrayPtr barcode_idx, feature_idx, umi, count, gem_group;
  ArrayPtr library_idx;  // may be null
  ArrayPtr barcodes, feature_ids;
  ArrayPtr feature_names;  // may be null
};

// nullopt where the group lacks a needed member. Reads no data.
std::optional<Molecules> molecules_in(const Group& group);

// barcode (with its GEM well), umi, feature_id, feature_name, count, library, a molecule a row.
Table molecule_table(const Molecules& molecules, Context& context);

}  // namespace plainfs::tenx
