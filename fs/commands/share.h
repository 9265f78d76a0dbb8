// The share of one of several jobs in a command's work: --part I/N.
#pragma once

#include <cstddef>
#include <string>

namespace plainfs {

// One of several jobs that share the work: number 1 to count.
struct Share {
  size_t number = 1;
  size_t count = 1;
};

// Parses "I/N" with I from 1 to N. Throws Failure(kUsage).
Share parse_part(const std::string& text);

}  // namespace plainfs
