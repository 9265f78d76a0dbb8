// What objects there are in a folder of a bucket, by ListObjectsV2. A store of few objects is listed whole by
// one request; of a larger one each folder by itself, where it is asked for.
#pragma once

#include <memory>
#include <string>

#include "formats/core/remote/remote_files.h"
#include "formats/core/remote/s3_origin.h"

namespace plainfs::remote {

// store: of the folder that all locations are in. client: outlives this.
std::unique_ptr<Listing> s3_listing(std::string store, std::shared_ptr<S3Origin> origin, HttpClient& client);

// A page of ListObjectsV2, asked for with encoding-type=url.
struct ObjectPage {
  struct Object {
    std::string key;
    Version version;  // without a time; its ETag is strong, or "" where the list tells none
  };
  std::vector<Object> objects;
  std::vector<std::string> prefixes;  // with their "/"
  std::string continuation;           // "" = the last page
};
// Throws unreadable where the text is none.
ObjectPage parse_object_page(const std::string& xml);

}  // namespace plainfs::remote
