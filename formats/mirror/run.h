// Runs of an instrument, of which the folder of results is mirrored: 10x's Xenium, Visium and Visium HD.
#pragma once

#include <string>

#include "formats/core/model/context.h"
#include "formats/core/text/json.h"

namespace plainfs::folder {

// Returns what the files of a folder say of the run that they are of: `kind`, `name` and what the manifest
// holds; empty if it is of none. A file that cannot be read is logged.
Json::Object run_in(const std::string& folder, Context& context);

}  // namespace plainfs::folder
