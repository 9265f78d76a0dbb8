// What objects there are in a folder of a bucket, by ListObjectsV2. A store of few objects is listed whole by
// one request; of a larger one each folder by itself, where it is asked for.
#pragma once

#include <memory>
#include <string>

#include "formats/core/remote/object_origin.h"
#include "formats/core/remote/remote_files.h"

namespace plainfs::remote {

// store: of the folder that all locations are in. client: outlives this.
std::unique_ptr<Listing> object_listing(std::string store, std::shared_ptr<ObjectOrigin> origin,
                                        HttpClient& client);

}  // namespace plainfs::remote
