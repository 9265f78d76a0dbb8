// AWS's Signature Version 4, according to the AWS General Reference ("Create a signed AWS API request").
// libcurl has an implementation too, but signs some paths and queries differently from the services.
#pragma once

#include <ctime>
#include <string>

#include "formats/core/remote/http_client.h"

namespace plainfs::remote {

struct Keys {
  std::string id;
  std::string secret;
  std::string token;  // of temporary keys; "" = none
};

// Adds x-amz-date, x-amz-content-sha256, x-amz-security-token and Authorization to the request's fields. They
// authenticate the client and prove that the request was not changed. Of its existing fields, Range is signed
// too. service: "s3". Requires: the path of the URL is encoded as by percent_encoded().
void sign(HttpRequest& request, const Keys& keys, const std::string& region, const std::string& service,
          std::time_t now);

}  // namespace plainfs::remote
