// A report of the parts of an R value that no file shows: parts without data (functions, calls, pointers,
// environments that are not read), and attributes that are lists or objects.
#pragma once

#include <string>
#include <vector>

#include "formats/containers/rds/value.h"

namespace plainfs::rds {

// Returns lines for the log with the number of parts of each kind and the places of the first ones. Empty if
// all of value is shown.
std::vector<std::string> left_out_of(const Value& value);

}  // namespace plainfs::rds
