// What one pass over a file has found out, so that no other is made: where decompression may begin
// again, where the long vectors of elements without a fixed size lie, and a CRC-32 of every page of what is
// decompressed, by which all the rest is proven when it is used.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "formats/containers/rds/byte_source.h"

namespace plainfs::rds {

// Where in the stream some elements of a vector begin.
struct VectorPart {
  uint64_t first;   // element
  uint64_t offset;  // byte
};

struct LongVector {
  uint64_t count = 0;
  uint64_t end = 0;               // the byte behind it
  std::vector<VectorPart> parts;  // empty of what is not kept
};

struct Pass {
  uint64_t size = 0;                       // of all that is decompressed
  std::vector<uint32_t> checksums;         // CRC-32 of each kPageBytes of it
  std::vector<SeekPoint> points;           // by output
  std::map<uint64_t, LongVector> vectors;  // by the byte where they begin
};

inline constexpr uint64_t kPageBytes = 256 << 10;

// The name under which the numbers are kept.
inline constexpr const char kPassName[] = "R serialisation 2";
std::vector<uint64_t> numbers_of(const Pass& pass);
// nullopt where the numbers are those of no pass.
std::optional<Pass> pass_of(const std::vector<uint64_t>& numbers);

}  // namespace plainfs::rds
