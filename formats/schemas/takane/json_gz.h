// The JSON of a simple_list, stored gzip-compressed and shown inflated (list_contents.json.gz as
// list_contents.json).
#pragma once

#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::takane {

// The inflated text. Throws damaged where it is no gzip stream or larger than plainfs is willing to hold.
Bytes read_json_gz(const std::string& path, Context& context);
// name without ".gz", whose content is inflated when it is first read.
Member json_gz_member(const std::string& path, const std::string& name, Context& context);

}  // namespace plainfs::takane
