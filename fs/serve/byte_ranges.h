// The field Range of a request: which bytes of a file are wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace plainfs::serve {

inline constexpr size_t kMostRanges = 16;

// Bytes [first, last], last included.
struct ByteRange {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t length() const { return last - first + 1; }
  bool operator==(const ByteRange&) const = default;
};

struct WantedBytes {
  enum class Kind {
    kWhole,  // the field says nothing that is understood: all of the file (200)
    kParts,  // these, in the order in which they were asked for (206)
    kNone,   // nothing of the file lies in them (416)
  };
  Kind kind = Kind::kWhole;
  std::vector<ByteRange> parts;  // at least one where kind is kParts, each within the file
};

// What the field asks for of a file of so many bytes. The whole file, too, where there are more than
// kMostRanges of them, or several that are more than the file in all: no request makes a server read a
// file many times over.
WantedBytes wanted_bytes(std::string_view field, uint64_t size);

}  // namespace plainfs::serve
