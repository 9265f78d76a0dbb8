// Where a value stands along a dimension, by the text that a user gives for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/core/cf/dataset.h"

namespace plainfs {

struct FoundIndex {
  std::optional<uint64_t> index;  // nullopt: no element has that value
  std::string nearest;            // then the value that is nearest, if there is one
};

// Finds the element along a dimension of `length` elements. value: a coordinate's value as tables show it, a
// time also cut off from the right; `~VALUE` for the nearest one; `#N` for the N-th from 0. Reads all of the
// coordinate. Throws what reading it throws, and unsupported if it has over 2^24 elements.
FoundIndex find_along(const CfDataset& dataset, const std::string& dimension, uint64_t length,
                      std::string_view value);

}  // namespace plainfs
