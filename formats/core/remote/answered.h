// A small question that is asked until it is answered.
#pragma once

#include <functional>
#include <string>

#include "formats/core/remote/origin.h"

namespace plainfs::remote {

// The body of the reply to the request that make() gives, anew for each attempt. Throws unreadable where all
// of them fail or the body is longer than most_bytes, and Cancelled.
std::string answered(const std::function<HttpRequest()>& make, Origin& origin, HttpClient& client,
                     size_t most_bytes);

}  // namespace plainfs::remote
