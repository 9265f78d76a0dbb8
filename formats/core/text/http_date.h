// The date of a field of HTTP (RFC 9110, section 5.6.7).
#pragma once

#include <ctime>
#include <string>

namespace plainfs {

// Returns "Wed, 25 Nov 2026 10:00:00 GMT", independent of the locale.
std::string http_date(time_t seconds);

}  // namespace plainfs
