// Reads everything that a store shows, as a user might.
#pragma once

#include <string>

#include "formats/model/context.h"

namespace plainfs::damage {

struct WalkResult {
  uint64_t files = 0;   // read whole, to exactly the size that stat gave
  uint64_t errors = 0;  // parts that failed with an Error
  std::string wrong;    // the first file whose size is not what it reads, or the like; empty = none
};

// Throws the Error of a store that does not open.
WalkResult read_everything(const std::string& store, Context& context);

}  // namespace plainfs::damage
