// Runs of an instrument with a folder of results that is mirrored: 10x's Cell Ranger, Visium, Visium
// HD and Xenium.
#pragma once

#include <string>

#include "formats/core/model/context.h"
#include "formats/core/text/json.h"

namespace plainfs::folder {

// Returns what the files of a folder state about the run that produced them: `kind`, `name` and the contents
// of the manifest; empty if the folder belongs to no run. Logs a file that cannot be read.
Json::Object run_in(const std::string& folder, Context& context);

}  // namespace plainfs::folder
