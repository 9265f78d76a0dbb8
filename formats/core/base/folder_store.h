// A folder of this machine as a KeyStore.
#pragma once

#include <string>

#include "formats/core/base/sources.h"

namespace plainfs {

// Opens the folder at `path` as a KeyStore. Opens its files through `files`, which must outlive it. Reads
// nothing yet.
KeyStorePtr open_folder_store(const std::string& path, Sources& files);

}  // namespace plainfs
