// A folder of this machine as a KeyStore.
#pragma once

#include <string>

#include "formats/core/base/sources.h"

namespace plainfs {

// Its files are opened through files, which outlives it. Opening it reads nothing.
KeyStorePtr open_folder_store(const std::string& path, Sources& files);

}  // namespace plainfs
