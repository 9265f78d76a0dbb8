// The links of a mirrored folder that lead out of it. Their targets are shown only with -o follow_outside.
#pragma once

#include <string>
#include <vector>

#include "fs/report/walk.h"

namespace plainfs {

// Returns how many of the walked entries are links to an existing target outside of the mirrored folder.
size_t count_outside_links(Filesystem& filesystem, const std::vector<Walked>& all);
// Returns "6 links lead out of this folder: -o follow_outside shows what they lead to"; "" for 0.
std::string outside_links_text(size_t count);

}  // namespace plainfs
