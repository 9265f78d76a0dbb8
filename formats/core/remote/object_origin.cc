#include "formats/core/remote/object_origin.h"

#include <algorithm>

#include "formats/core/base/error.h"
#include "formats/core/remote/azure_origin.h"
#include "formats/core/remote/s3_origin.h"
#include "formats/core/remote/url.h"

namespace plainfs::remote {
bool is_object_location(const std::string& location) {
  return location.starts_with(kS3Scheme) || location.starts_with(kGoogleScheme) ||
         location.starts_with(kAzureScheme);
}

bool is_bucket(const std::string& location) {
  if (!is_object_location(location)) return false;
  const auto slashes = std::count(location.begin() + kS3Scheme.size(), location.end(), '/');
  return slashes < (location.starts_with(kAzureScheme) ? 2 : 1);
}

std::shared_ptr<ObjectOrigin> object_origin(const std::string& location, const RemoteOptions& options,
                                            HttpClient& client) {
  if (location.starts_with(kAzureScheme))
    return std::make_shared<AzureOrigin>(location, options, process_environment());
  return std::make_shared<S3Origin>(location, options, process_environment(), client);
}

std::string checked_endpoint(std::string endpoint) {
  if (endpoint.empty()) return endpoint;
  if (endpoint.find("://") == endpoint.npos) endpoint = "https://" + endpoint;
  while (endpoint.ends_with('/')) endpoint.pop_back();
  if (!parse_url(endpoint).query.empty()) throw unsupported("endpoint: a query is not part of an endpoint");
  return endpoint;
}

void check_may_carry_token(const std::string& endpoint) {
  const Url url = parse_url(endpoint);
  if (url.scheme != "https" && !is_this_machine(url.host))
    throw unsupported("{}: a token is only sent over https", url.host);
}

}  // namespace plainfs::remote
