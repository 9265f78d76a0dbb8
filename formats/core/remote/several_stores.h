// The sources of several stores that are read as one: behind URLs, or some behind URLs and some on this
// machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cache/byte_cache.h"
#include "formats/core/base/sources.h"
#include "formats/core/remote/remote_options.h"

namespace plainfs::remote {

// Opens remote stores like open_sources(). Each location is opened by the store that it lies in, with the
// credentials and the limits of that store alone. local: opens the locations on this machine; it must outlive
// the result. Requires: options.query is empty.
std::unique_ptr<Sources> open_several_sources(const std::vector<std::string>& stores, Sources& local,
                                              const RemoteOptions& options, ByteCache& cache,
                                              RemoteCounters& counters, std::atomic<uint64_t>* bytes_read);

// Returns what a remote store among others may use: those of `all` that are behind URLs. A path on this
// machine that such a store names is unreadable. `all` must outlive the result.
std::unique_ptr<Sources> only_urls(Sources& all);

}  // namespace plainfs::remote
