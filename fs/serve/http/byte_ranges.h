// The Range field of a request: the bytes of a file that the client wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace plainfs::serve {

inline constexpr size_t kMaxRanges = 16;

// The bytes [first, last], including last.
struct ByteRange {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t length() const { return last - first + 1; }
  bool operator==(const ByteRange&) const = default;
};

struct WantedBytes {
  enum class Kind {
    kWhole,  // all of the file (200); also if the field is not understood
    kParts,  // the parts in the order of the request (206)
    kNone,   // no range overlaps the file (416)
  };
  Kind kind = Kind::kWhole;
  std::vector<ByteRange> parts;  // each within the file; at least one if kind is kParts
};

// Returns the bytes of a file of `size` bytes that the Range field asks for. Returns the whole file also for
// more than kMaxRanges ranges, or for several ranges that exceed the file in total: a request must not make
// the server read a file many times.
WantedBytes wanted_bytes(std::string_view field, uint64_t size);

}  // namespace plainfs::serve
