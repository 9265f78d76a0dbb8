// R's compact vectors (src/main/altclasses.c), which version 3 of the serialisation keeps as they are.
#pragma once

#include <cstdint>
#include <string>

#include "formats/containers/rds/value.h"

namespace plainfs::rds {

// The vector that an ALTREP value of that class stands for: compact_intseq, compact_realseq, deferred_string,
// wrap_*. most_elements, which is counted down, bounds what is made of little: Error(unsupported) beyond it
// and for every other class.
RValue expand_altrep(const std::string& class_name, RValue state, uint64_t& most_elements);

}  // namespace plainfs::rds
