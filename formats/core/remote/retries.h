// How often and after which pauses a request is made again.
#pragma once

#include <chrono>

namespace plainfs::remote {

constexpr auto kPatience = std::chrono::seconds(120);          // no attempt begins later than this
constexpr auto kBetweenLooks = std::chrono::milliseconds(50);  // whether the one who waits was interrupted
constexpr unsigned kMostRenewals = 2;                          // of the credentials, for one request

// AWS_MAX_ATTEMPTS where it is set, else 10.
unsigned most_attempts();
// Before the attempt after that many: any time up to 50 ms, doubled each time, 20 s at most; so those who
// were refused together do not come back together.
std::chrono::milliseconds pause_after(unsigned attempts);

}  // namespace plainfs::remote
