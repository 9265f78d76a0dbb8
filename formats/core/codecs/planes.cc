#include "formats/core/codecs/planes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <utility>

namespace plainfs {
namespace {

using Lanes = uint64_t __attribute__((vector_size(16)));
using LaneBytes = uint8_t __attribute__((vector_size(16)));
constexpr size_t kLaneBytes = sizeof(Lanes);

// Exchanges the bits of `low` selected by (mask << shift) with the bits of `high` selected by mask.
void exchange_bits(Lanes& low, Lanes& high, int shift, uint64_t mask) {
  const Lanes differ = ((low >> shift) ^ high) & (Lanes{} + mask);
  high ^= differ;
  low ^= differ << shift;
}

// Transposes rows[b], with bit b of element k in bit k of a byte. Afterwards rows[k] has element k of all
// bytes.
void transpose_bits(Lanes (&rows)[8]) {
  for (const int r : {0, 1, 2, 3}) exchange_bits(rows[r], rows[r + 4], 4, 0x0f0f0f0f0f0f0f0f);
  for (const int r : {0, 1, 4, 5}) exchange_bits(rows[r], rows[r + 2], 2, 0x3333333333333333);
  for (const int r : {0, 2, 4, 6}) exchange_bits(rows[r], rows[r + 1], 1, 0x5555555555555555);
}

// Returns the bytes of `a` and `b` alternating, the first halves and the second.
std::pair<LaneBytes, LaneBytes> interleaved(LaneBytes a, LaneBytes b) {
  return {__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
          __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)};
}

// Writes one byte of each row in turn. Each row has elements of 16 bytes.
void write_in_turn(const Lanes (&rows)[8], std::byte* out) {
  LaneBytes bytes[8];
  std::memcpy(bytes, rows, sizeof bytes);
  // Interleaves the first half of all 128 bytes with the second, three times.
  for (int step = 0; step < 3; ++step) {
    LaneBytes shuffled[8];
    for (int r = 0; r < 4; ++r)
      std::tie(shuffled[2 * r], shuffled[2 * r + 1]) = interleaved(bytes[r], bytes[r + 4]);
    std::memcpy(bytes, shuffled, sizeof bytes);
  }
  std::memcpy(out, bytes, sizeof bytes);
}

// A fixed size lets the compiler interleave whole vectors.
template <size_t size>
void join_fixed(const std::byte* __restrict planes, std::byte* __restrict out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < size; ++j) out[i * size + j] = planes[j * count + i];
}

void join_any(const std::byte* planes, std::byte* out, size_t count, size_t size) {
  constexpr size_t kRun = 64;  // elements, so that their output stays in the first-level cache
  for (size_t first = 0; first < count; first += kRun) {
    const size_t last = std::min(count, first + kRun);
    for (size_t j = 0; j < size; ++j)
      for (size_t i = first; i < last; ++i) out[i * size + j] = planes[j * count + i];
  }
}

}  // namespace

void join_byte_planes(const std::byte* planes, size_t count, size_t size, std::byte* out) {
  switch (size) {
    case 2:
      return join_fixed<2>(planes, out, count);
    case 4:
      return join_fixed<4>(planes, out, count);
    case 8:
      return join_fixed<8>(planes, out, count);
    default:
      return join_any(planes, out, count, size);
  }
}

void join_bit_planes(const std::byte* planes, size_t size, std::byte* out) {
  const size_t row_bytes = size / 8;
  size_t at = 0;
  for (; at + kLaneBytes <= row_bytes; at += kLaneBytes) {
    Lanes rows[8];
    for (size_t r = 0; r < 8; ++r) std::memcpy(&rows[r], planes + r * row_bytes + at, kLaneBytes);
    transpose_bits(rows);
    write_in_turn(rows, out + 8 * at);
  }
  for (size_t i = 8 * at; i < size; ++i) {
    unsigned element = 0;
    for (size_t bit = 0; bit < 8; ++bit)
      element |= (static_cast<unsigned>(planes[bit * row_bytes + i / 8]) >> i % 8 & 1) << bit;
    out[i] = static_cast<std::byte>(element);
  }
}

}  // namespace plainfs
