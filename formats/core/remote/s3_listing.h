// The objects in a folder of a bucket, from ListObjectsV2. A store of few objects is listed with one request.
// In a larger store each folder is listed when it is needed.
#pragma once

#include <memory>
#include <string>

#include "formats/core/remote/remote_files.h"
#include "formats/core/remote/s3_origin.h"

namespace plainfs::remote {

// Returns the listing of a bucket. store: the folder that contains all locations. client: must outlive the
// listing.
std::unique_ptr<Listing> s3_listing(std::string store, std::shared_ptr<S3Origin> origin, HttpClient& client);

// A page of ListObjectsV2, requested with encoding-type=url.
struct ObjectPage {
  struct Object {
    std::string key;
    Version version;  // without a time; its ETag is strong, or "" if the list has none
  };
  std::vector<Object> objects;
  std::vector<std::string> prefixes;  // with their "/"
  std::string continuation;           // "" = the last page
};
// Parses a page. Throws unreadable if the text is not a valid page.
ObjectPage parse_object_page(const std::string& xml);

}  // namespace plainfs::remote
