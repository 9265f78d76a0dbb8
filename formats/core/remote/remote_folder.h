// What lies below a URL as a KeyStore.
#pragma once

#include <string>

#include "formats/core/base/sources.h"
#include "formats/core/remote/listing.h"

namespace plainfs::remote {

// Its objects are opened through sources, which outlives it, as does listing; null: the service lists
// nothing.
KeyStorePtr open_remote_folder(const std::string& location, Sources& sources, Listing* listing);

}  // namespace plainfs::remote
