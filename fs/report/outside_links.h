// The links of a mirrored folder that lead out of it, which are stores and files there unless
// -o follow_outside is given.
#pragma once

#include <string>
#include <vector>

#include "fs/report/walk.h"

namespace plainfs {

// Of those that were walked, how many are links that lead out of the mirrored folder to something that is
// there.
size_t count_outside_links(Filesystem& filesystem, const std::vector<Walked>& all);
// "6 links lead out of this folder: -o follow_outside shows what they lead to"; "" of none.
std::string outside_links_text(size_t count);

}  // namespace plainfs
