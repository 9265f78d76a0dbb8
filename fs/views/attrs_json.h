// The attributes of a store as JSON.
#pragma once

#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/views/file_rows.h"

namespace plainfs {

// Returns the attributes of a directory and of its members without their own directory, as one JSON object
// (fs/VIEWS.md, section 1). The key "." holds the directory's attributes, a member's name those of the
// member.
std::string attrs_json(const Node& directory);
// For a directory that has any attributes or has unreadable ones.
void offer_attributes(const FileRow& row, const Node& directory, Context& context, Files& files);

}  // namespace plainfs
