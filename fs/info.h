// The files of .plainfs: what is mounted (info.json), live counters (stats.json) and the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fs/filesystem.h"
#include "fs/log.h"

namespace plainfs {

// Adds .plainfs to the root. options: as they are to be shown in info.json. The arguments outlive
// filesystem's use.
void add_info_files(Filesystem& filesystem, Context& context, const Log& log, Json::Object options);

// README.txt in the root of a mount of a store elsewhere, which says where the files are that it does not
// list.
HiddenFile remote_readme();

// "0.1.0 (4a30ef46d7f0)": with the commit, where it is known.
std::string version_text();

// "plainfs", "libfuse" and the others, each with its version.
Json::Object library_versions();

// The content of info.json, as `plainfs info --json` prints it too. process: of the mount, where there is
// one. context: null, or that of the store; then also which matrices seurat.rds takes, where one is made of
// the root: that reads the first values of these.
std::string info_text(const Store& store, const Json::Object& options, std::optional<uint64_t> process = {},
                      Context* context = nullptr);

}  // namespace plainfs
