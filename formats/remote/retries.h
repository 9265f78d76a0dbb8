// How often and after which pauses a request is made again.
#pragma once

#include <chrono>

namespace plainfs::remote {

// AWS_MAX_ATTEMPTS where it is set, else 10.
unsigned most_attempts();
// Before the attempt after that many: any time up to 50 ms, doubled each time, 20 s at most; so those who
// were refused together do not come back together.
std::chrono::milliseconds pause_after(unsigned attempts);

}  // namespace plainfs::remote
