// Points in time as text: the date of a field of HTTP (RFC 9110, section 5.6.7), and any form of strftime().
#pragma once

#include <ctime>
#include <string>

namespace plainfs {

// Returns "Wed, 25 Nov 2026 10:00:00 GMT", independent of the locale.
std::string http_date(time_t seconds);

// Returns the time in UTC. format: strftime()'s, for 1 to 31 bytes.
std::string utc_text(time_t seconds, const char* format);

}  // namespace plainfs
