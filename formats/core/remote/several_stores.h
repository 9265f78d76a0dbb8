// The objects of several remote stores that are read as one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cache/byte_cache.h"
#include "formats/core/base/sources.h"
#include "formats/core/remote/remote_options.h"

namespace plainfs::remote {

// Opens stores like open_sources(). Each location is opened by the store that it lies in, with the
// credentials and the limits of that store alone. Requires: options.query is empty.
std::unique_ptr<Sources> open_several_sources(const std::vector<std::string>& stores,
                                              const RemoteOptions& options, ByteCache& cache,
                                              RemoteCounters& counters, std::atomic<uint64_t>* bytes_read);

}  // namespace plainfs::remote
