// The objects of one remote store: a file on a server, or the folder that a URL names. Objects outside of it
// are never opened.
#pragma once

#include <memory>
#include <string>

#include "cache/byte_cache.h"
#include "formats/core/base/sources.h"
#include "formats/core/remote/remote_options.h"

namespace plainfs::remote {

// Opens the store at "https://HOST/PATH", "http://…", "s3://BUCKET/KEY", "gs://BUCKET/KEY" or
// "az://ACCOUNT/CONTAINER/KEY", without a query. Sends no request yet. `cache`, `counters` and `bytes_read`
// must outlive it; bytes_read counts the bytes read from files. stores: the number of remote stores that
// share the cache. Throws unsupported for any other URL.
std::unique_ptr<Sources> open_sources(const std::string& store, const RemoteOptions& options,
                                      ByteCache& cache, RemoteCounters& counters,
                                      std::atomic<uint64_t>* bytes_read, size_t stores = 1);

// Writes `content` to the object at `location`, of s3://, gs:// or az://. Throws unreadable if the service
// refuses it, and Cancelled.
void put_object(const std::string& location, const std::string& content, const RemoteOptions& options);

}  // namespace plainfs::remote
