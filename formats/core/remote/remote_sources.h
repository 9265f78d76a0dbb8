// The objects of one store elsewhere: of a file on a server, or of the folder that a URL names. Nothing
// outside of it is opened.
#pragma once

#include <memory>
#include <string>

#include "cache/byte_cache.h"
#include "formats/core/base/sources.h"
#include "formats/core/remote/remote_options.h"

namespace plainfs::remote {

// store: "https://HOST/PATH", "http://…", "s3://BUCKET/KEY", "gs://BUCKET/KEY" or
// "az://ACCOUNT/CONTAINER/KEY", without a query. Nothing is asked of a server yet. cache, counters and
// bytes_read outlive it; bytes_read counts what is read of files. Throws unsupported for any other URL.
std::unique_ptr<Sources> open_sources(const std::string& store, const RemoteOptions& options,
                                      ByteCache& cache, RemoteCounters& counters,
                                      std::atomic<uint64_t>* bytes_read);

// Stores content as the object at location, of s3://, gs:// or az://. Throws unreadable where the service
// refuses it, and Cancelled.
void put_object(const std::string& location, const std::string& content, const RemoteOptions& options);

}  // namespace plainfs::remote
