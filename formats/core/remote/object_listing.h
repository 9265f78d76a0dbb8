// The objects in a folder of a bucket or container. A store of few objects is listed with one request. In a
// larger store each folder is listed when it is needed.
#pragma once

#include <memory>
#include <string>

#include "formats/core/remote/object_origin.h"
#include "formats/core/remote/remote_files.h"

namespace plainfs::remote {

// store: the folder that contains all locations. client: must outlive the listing.
std::unique_ptr<RemoteListing> object_listing(std::string store, std::shared_ptr<ObjectOrigin> origin,
                                              HttpClient& client);

}  // namespace plainfs::remote
