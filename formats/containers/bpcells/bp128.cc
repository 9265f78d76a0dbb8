#include "formats/containers/bpcells/bp128.h"

#include <array>
#include <cassert>
#include <cstring>
#include <utility>

namespace plainfs::bpcells {
namespace {

// Four lanes, as the format interleaves them: row r of a block is its values 4r .. 4r + 3. The compiler turns
// this into SSE2 or NEON instructions.
using Lanes = uint32_t __attribute__((vector_size(16)));

constexpr size_t kRows = kBlockValues / 4;

Lanes load(const uint32_t* at) {
  Lanes lanes;
  std::memcpy(&lanes, at, sizeof lanes);
  return lanes;
}

void store(uint32_t* at, Lanes lanes) {
  std::memcpy(at, &lanes, sizeof lanes);
}

// Bits [row * Width, row * Width + Width) of each lane's stream.
template <unsigned Width, unsigned Row>
Lanes packed_row(const uint32_t* words) {
  constexpr unsigned kBit = Row * Width;
  constexpr unsigned kWord = kBit / 32;
  constexpr unsigned kShift = kBit % 32;
  if constexpr (Width == 0) {
    return Lanes{};
  } else {
    Lanes row = load(words + 4 * kWord) >> kShift;
    if constexpr (kShift + Width > 32) row |= load(words + 4 * (kWord + 1)) << (32 - kShift);
    if constexpr (Width < 32) row &= (uint32_t{1} << Width) - 1;
    return row;
  }
}

template <unsigned Width, size_t... Row>
void unpack_rows(const uint32_t* words, uint32_t* values, std::index_sequence<Row...>) {
  (store(values + 4 * Row, packed_row<Width, Row>(words)), ...);
}

template <unsigned Width>
void unpack_width(const uint32_t* words, uint32_t* values) {
  unpack_rows<Width>(words, values, std::make_index_sequence<kRows>());
}

using Kernel = void (*)(const uint32_t*, uint32_t*);

template <size_t... Width>
constexpr std::array<Kernel, sizeof...(Width)> kernels(std::index_sequence<Width...>) {
  return {&unpack_width<Width>...};
}

constexpr auto kKernels = kernels(std::make_index_sequence<kMaxWidth + 1>());

void add_one(uint32_t* values) {
  for (size_t i = 0; i < kBlockValues; ++i) ++values[i];
}

// Running sums in index order, across the lanes: two shifted additions within a row, then the carry.
template <bool Zigzag>
void add_differences(uint32_t start, uint32_t* values) {
  constexpr Lanes kZero = {};
  Lanes carry = {start, start, start, start};
  for (size_t i = 0; i < kBlockValues; i += 4) {
    Lanes row = load(values + i);
    if constexpr (Zigzag) row = (row >> 1) ^ -(row & 1);
    row += __builtin_shufflevector(kZero, row, 0, 4, 5, 6);
    row += __builtin_shufflevector(kZero, row, 0, 0, 4, 5);
    row += carry;
    carry = __builtin_shufflevector(row, row, 3, 3, 3, 3);
    store(values + i, row);
  }
}

}  // namespace

void unpack_block(unsigned width, Transform transform, uint32_t start, const uint32_t* words,
                  uint32_t* values) {
  assert(width <= kMaxWidth);
  kKernels[width](words, values);
  if (width == kMaxWidth) return;
  switch (transform) {
    case Transform::none:
      return;
    case Transform::minus_one:
      return add_one(values);
    case Transform::difference:
      return add_differences<false>(start, values);
    case Transform::zigzag_difference:
      return add_differences<true>(start, values);
  }
}

}  // namespace plainfs::bpcells
