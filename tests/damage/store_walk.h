// Reads everything that a store shows, like a user: in order, and again at random places.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "formats/core/model/context.h"

namespace plainfs::damage {

struct WalkResult {
  uint64_t files = 0;   // files read to exactly the size of their stat
  uint64_t errors = 0;  // parts that failed with an Error
  std::string wrong;    // the first file that differs from its size, or in a second read; empty = none
  std::map<std::string, std::optional<size_t>>
      content;                               // path of each file and link -> a hash of it; null = an Error
  std::map<std::string, std::string> links;  // path -> target, of each symbolic link
};

// Reads every file, and only both ends of files over 16 MiB. Throws the Error of a store that does not open.
WalkResult read_everything(const std::string& store, Context& context);

}  // namespace plainfs::damage
