// Finds positions along a dimension from a value that a user gives as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/cf/dataset.h"

namespace plainfs {

struct FoundIndices {
  std::vector<uint64_t> indices;  // ascending; empty if no element has that value
  std::string nearest;            // then the nearest value, if any
};

// Finds the elements with a value along a dimension of `length` elements. value: a coordinate's value as
// tables show it (a time may be cut off at the right), `~VALUE` for the nearest one, or `#N` for the N-th
// from 0. A text that is the value of an element is that value, not a number of the last two forms. Reads the
// whole coordinate. Throws what reading it throws, and unsupported if it has over 2^24 elements.
FoundIndices find_along(const CfDataset& dataset, const std::string& dimension, uint64_t length,
                        std::string_view value);

}  // namespace plainfs
