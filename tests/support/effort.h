// Random and exhaustive tests try a small fixed set. PLAINFS_TEST_EFFORT=10, as set by scripts/nightly, makes
// them try ten times as much, or everything.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace plainfs {

inline int effort() {
  const char* const value = std::getenv("PLAINFS_TEST_EFFORT");
  return value ? std::max(1, std::atoi(value)) : 1;
}

}  // namespace plainfs
