// Finds positions along a dimension from a value that a user gives as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/core/cf/dataset.h"

namespace plainfs {

struct FoundIndex {
  std::optional<uint64_t> index;  // nullopt: no element has that value
  std::string nearest;            // then the nearest value, if any
};

// Finds the element along a dimension of `length` elements. value: a coordinate's value as tables show it (a
// time may be cut off at the right), `~VALUE` for the nearest one, or `#N` for the N-th from 0. Reads the
// whole coordinate. Throws what reading it throws, and unsupported if it has over 2^24 elements.
FoundIndex find_along(const CfDataset& dataset, const std::string& dimension, uint64_t length,
                      std::string_view value);

}  // namespace plainfs
