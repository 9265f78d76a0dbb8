// What an R value holds that is no data: functions, calls, pointers, and environments that are not read.
#pragma once

#include <string>

#include "formats/containers/rds/value.h"

namespace plainfs::rds {

// A line for the log that names each kind, how many there are of it and where the first of them stand; empty
// if all of the value is data.
std::string left_out_of(const Value& value);

}  // namespace plainfs::rds
