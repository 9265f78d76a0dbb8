// AWS's Signature Version 4, by the AWS General Reference ("Create a signed AWS API request"). libcurl has
// one too, which signs some paths and queries otherwise than the services do.
#pragma once

#include <ctime>
#include <string>

#include "formats/core/remote/http_client.h"

namespace plainfs::remote {

struct Keys {
  std::string id;
  std::string secret;
  std::string token;  // of keys for a time; "" = none
};

// Adds x-amz-date, x-amz-content-sha256, x-amz-security-token and Authorization to the request's fields, by
// which the service knows who asks and that the request was not changed. Of its fields so far Range is
// signed too. service: "s3". Requires: the path of its URL is percent-encoded as percent_encoded() does.
void sign(HttpRequest& request, const Keys& keys, const std::string& region, const std::string& service,
          std::time_t now);

}  // namespace plainfs::remote
