// The files of .plainfs: the mount (info.json), live counters (stats.json) and the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fs/filesystem.h"
#include "fs/log.h"

namespace plainfs {

// Adds .plainfs to the root. info.json shows `options` unchanged. The arguments must outlive the use of
// `filesystem`.
void add_info_files(Filesystem& filesystem, Context& context, const Log& log, Json::Object options);

// Returns README.txt for the root of a mount of a remote store. It explains where to find the files that are
// not listed.
HiddenFile remote_readme();

// Returns the version, with the commit if it is known: "0.1.0 (4a30ef46d7f0)".
std::string version_text();

// Returns the versions of plainfs, libfuse and the other libraries by name.
Json::Object library_versions();

// Returns a line with the version of each package of the libraries in a statically linked program:
// "libcurl4-openssl-dev 7.88.1-10+deb12u12". Empty for any other program.
std::string static_packages();

// Returns the content of info.json, which `plainfs info --json` also prints. process: the process of the
// mount, if there is one. context: the store's context, or null. With a context, the text also lists the
// matrices of seurat.rds if the root has that view, which reads their first values.
std::string info_text(const Store& store, const Json::Object& options, std::optional<uint64_t> process = {},
                      Context* context = nullptr);

}  // namespace plainfs
