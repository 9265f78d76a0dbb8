// A service that stores objects by key and lists them: S3, Google Cloud Storage, Azure Blob Storage.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/remote/origin.h"
#include "formats/core/remote/remote_files.h"

namespace plainfs::remote {

inline constexpr std::string_view kS3Scheme = "s3://", kGoogleScheme = "gs://", kAzureScheme = "az://";

// One page of a list of objects.
struct ObjectPage {
  struct Object {
    std::string key;
    Version version;  // without a time; its ETag is strong, or "" if the list has none
  };
  std::vector<Object> objects;
  std::vector<std::string> prefixes;  // with their "/"
  std::string continuation;           // "" = the last page
};

// One bucket or container of such a service. Thread-safe.
class ObjectOrigin : public Origin {
 public:
  bool follows_redirects() const override { return false; }

  // Returns the key of a location. Throws unreadable if the location is in another bucket.
  virtual std::string key_of(const std::string& location) const = 0;
  // Returns a request that lists the keys with that prefix. delimiter: "/" leaves out what is below folders.
  // continuation: from the page before, or "".
  virtual HttpRequest list(const std::string& prefix, const std::string& delimiter,
                           const std::string& continuation) = 0;
  // Parses the reply to list(). Throws unreadable if it is not such a list.
  virtual ObjectPage page_of(const std::string& xml) const = 0;
  // Returns a request that stores `body` as the object at `location`.
  virtual HttpRequest put(const std::string& location, std::string body) = 0;
};

// Returns whether `location` ("s3://BUCKET/KEY", "gs://BUCKET/KEY", "az://ACCOUNT/CONTAINER/KEY") belongs to
// such a service.
bool is_object_location(const std::string& location);
// Returns whether such a location names a bucket or container without a key.
bool is_bucket(const std::string& location);

// Returns the origin of a location. Throws unsupported if it names no bucket. client: must outlive the
// origin.
std::shared_ptr<ObjectOrigin> object_origin(const std::string& location, const RemoteOptions& options,
                                            HttpClient& client);

// Returns the endpoint with a scheme and without a trailing "/". Throws unsupported if it is not a URL, or
// has a query.
std::string checked_endpoint(std::string endpoint);
// Throws unsupported unless a token may be sent to the endpoint: it is the secret itself, not a signature,
// and goes only over https or to this machine.
void check_may_carry_token(const std::string& endpoint);

}  // namespace plainfs::remote
