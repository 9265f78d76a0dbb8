// The files of .plainfs: what is mounted (info.json), live counters (stats.json) and the log.
#pragma once

#include <vector>

#include "fs/filesystem.h"
#include "fs/log.h"

namespace plainfs {

// Adds .plainfs to the root. options: as they are to be shown in info.json. The arguments outlive
// filesystem's use.
void add_info_files(Filesystem& filesystem, Context& context, const Log& log, Json::Object options);

// The content of info.json, as `plainfs info` prints it too.
std::string info_text(const Store& store, const Json::Object& options);

}  // namespace plainfs
