// The results of one pass over a compressed file, which make further passes unnecessary: the places at which
// decompression can resume, and a CRC-32 of every page of the decompressed data. The CRC-32 proves on use
// that the results belong to the file.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/unpacked/byte_source.h"

namespace plainfs::unpacked {

struct Pass {
  uint64_t size = 0;                // of the decompressed data
  std::vector<uint32_t> checksums;  // CRC-32 of each kPageBytes of them
  std::vector<SeekPoint> points;    // sorted by output
};

inline constexpr uint64_t kPageBytes = 256 << 10;

// A reader of numbers that were kept by an earlier session. They are not trusted: every function throws
// damaged if too few are left.
class KeptNumbers {
 public:
  explicit KeptNumbers(const std::vector<uint64_t>& all) : all_(all) {}

  uint64_t next();
  // Reads the number of items that follow. Each takes at least `least` numbers.
  uint64_t count(uint64_t least);
  // Reads what append_bytes() wrote. Throws damaged if it has more than max_bytes.
  Bytes bytes(uint64_t max_bytes);
  bool at_end() const { return at_ == all_.size(); }

 private:
  const std::vector<uint64_t>& all_;
  size_t at_ = 0;
};

void append_bytes(ByteSpan bytes, std::vector<uint64_t>& numbers);
void append_numbers(const Pass& pass, std::vector<uint64_t>& numbers);
// Reads what append_numbers() wrote. Throws damaged if the numbers do not encode a pass.
Pass read_pass(KeptNumbers& numbers);

}  // namespace plainfs::unpacked
