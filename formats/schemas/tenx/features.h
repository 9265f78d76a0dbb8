// The group `features` of layout 2 as a table with a row for each feature.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::tenx {

// Returns stored with the table as its content: id, name, feature_type, the columns that _all_tag_keys lists,
// then every other list of that length by name, all as stored. Reads _all_tag_keys and no other data. If it
// cannot be read, the content is its Error.
Node with_feature_table(Node stored, Context& context);

}  // namespace plainfs::tenx
