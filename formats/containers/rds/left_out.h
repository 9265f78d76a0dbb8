// What an R value holds and no file shows: what is no data (functions, calls, pointers, environments that are
// not read), and attributes that are lists or objects.
#pragma once

#include <string>
#include <vector>

#include "formats/containers/rds/value.h"

namespace plainfs::rds {

// Lines for the log: how many there are of each kind, and where the first of them stand. None if all of the
// value is shown.
std::vector<std::string> left_out_of(const Value& value);

}  // namespace plainfs::rds
