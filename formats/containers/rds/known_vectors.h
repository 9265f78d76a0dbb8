// The positions of the long vectors of a serialisation with elements of variable size, found by its first
// pass.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "formats/core/unpacked/pass.h"

namespace plainfs::rds {

// The position in the stream of one element of a vector.
struct VectorPart {
  uint64_t first;   // element
  uint64_t offset;  // byte
};

struct LongVector {
  uint64_t count = 0;
  uint64_t end = 0;               // the byte after it
  std::vector<VectorPart> parts;  // empty for a vector that is not kept
};

using LongVectors = std::map<uint64_t, LongVector>;  // by the byte at which they begin

// The results of a pass over a file that holds an R object.
struct RPass {
  unpacked::Pass bytes;
  LongVectors vectors;
};

// The name under which the results are saved, as numbers.
inline constexpr const char kPassName[] = "R serialisation 2";
std::vector<uint64_t> numbers_of(const RPass& pass);
// Returns nullopt if numbers do not encode a pass.
std::optional<RPass> pass_of(const std::vector<uint64_t>& numbers);

}  // namespace plainfs::rds
