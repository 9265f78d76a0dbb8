// The attributes of a directory and of its members that have no directory of their own, as one JSON object
// (fs/VIEWS.md, section 1): key "." for the directory's, the member's name for a member's.
#pragma once

#include <string>

#include "fs/views/view.h"

namespace plainfs {

std::string attrs_json(const Node& directory);

// Offers ".attrs.json" inside a directory that has any attributes, or whose attributes cannot be read.
void offer_attrs_json(const Node& directory, Context& context, std::vector<OfferedFile>& files);

}  // namespace plainfs
