// The results of one pass over a file, which make further passes unnecessary. They hold the places at which
// decompression can resume, the positions of long vectors with elements of variable size, and a CRC-32 of
// every page of the decompressed data. The CRC-32 proves on use that the results belong to the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "formats/containers/rds/byte_source.h"

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

struct Pass {
  uint64_t size = 0;                       // of the decompressed data
  std::vector<uint32_t> checksums;         // CRC-32 of each kPageBytes of them
  std::vector<SeekPoint> points;           // sorted by output
  std::map<uint64_t, LongVector> vectors;  // by the byte at which they begin
};

inline constexpr uint64_t kPageBytes = 256 << 10;

// The name under which the results are saved, as numbers.
inline constexpr const char kPassName[] = "R serialisation 2";
std::vector<uint64_t> numbers_of(const Pass& pass);
// Returns nullopt if numbers do not encode a pass.
std::optional<Pass> pass_of(const std::vector<uint64_t>& numbers);

}  // namespace plainfs::rds
