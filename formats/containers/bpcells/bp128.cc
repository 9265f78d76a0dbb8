#include "formats/containers/bpcells/bp128.h"

#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace plainfs::bpcells {
namespace {

constexpr size_t kWidths = kMaxWidth + 1;
constexpr auto kEachWidth = std::make_index_sequence<kWidths>();

// Four lanes, as the format interleaves them: row r of a block is its values 4r .. 4r + 3. The compiler turns
// operations on them into SSE2 or NEON instructions.
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

// Returns bits [row * Width, row * Width + Width) of each lane's stream.
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

template <size_t... Width>
constexpr auto kernels(std::index_sequence<Width...>) {
  return std::array{&unpack_width<Width>...};
}
constexpr auto kKernels = kernels(kEachWidth);

void add_one(uint32_t* values) {
  for (size_t i = 0; i < kBlockValues; ++i) ++values[i];
}

// Replaces the differences by their running sums from start, in index order across the lanes: two shifted
// additions within a row, then the carry.
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

#if defined(__x86_64__)
// The AVX2 kernels unpack two rows at a time and undo the transform before they store them. This saves a
// third to a half of the time and costs 150 KB of code.
#define PLAINFS_AVX2 __attribute__((target("avx2"), always_inline)) inline

// The position of a row's bits in each lane: they begin at bit `shift` of word `word` and may continue in the
// next word.
struct RowBits {
  unsigned word, shift;
  bool goes_on;
};
constexpr RowBits row_bits(unsigned width, unsigned row) {
  const unsigned bit = row * width;
  return {bit / 32, bit % 32, bit % 32 + width > 32};
}

// Loads words A and B of each lane, which are equal or consecutive.
template <unsigned A, unsigned B>
PLAINFS_AVX2 __m256i word_pair(const uint32_t* words) {
  static_assert(A == B || A + 1 == B);
  if constexpr (A == B)
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words + 4 * A)));
  else
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + 4 * A));
}

PLAINFS_AVX2 __m256i pair_of(unsigned first, unsigned second) {
  const auto a = static_cast<int>(first), b = static_cast<int>(second);
  return _mm256_setr_epi32(a, a, a, a, b, b, b, b);
}

// Returns rows Row and Row + 1.
template <unsigned Width, unsigned Row>
PLAINFS_AVX2 __m256i packed_pair(const uint32_t* words) {
  if constexpr (Width == 0) return _mm256_setzero_si256();
  constexpr RowBits a = row_bits(Width, Row), b = row_bits(Width, Row + 1);
  __m256i rows = _mm256_srlv_epi32(word_pair<a.word, b.word>(words), pair_of(a.shift, b.shift));
  if constexpr (a.goes_on || b.goes_on) {
    // Reads only words that one of the rows needs, since the next one may lie beyond the block. A shift by 32
    // yields 0.
    constexpr unsigned kFirst = a.goes_on ? a.word + 1 : b.word + 1,
                       kSecond = b.goes_on ? b.word + 1 : kFirst;
    rows = _mm256_or_si256(
        rows, _mm256_sllv_epi32(word_pair<kFirst, kSecond>(words),
                                pair_of(a.goes_on ? 32 - a.shift : 32, b.goes_on ? 32 - b.shift : 32)));
  }
  if constexpr (Width < 32)
    rows = _mm256_and_si256(rows, _mm256_set1_epi32(static_cast<int>((1U << Width) - 1)));
  return rows;
}

// Adds to each of the eight values all values before it.
PLAINFS_AVX2 __m256i running_sums(__m256i values) {
  // First within pairs, then within rows. Finally the sum of the first row is added to the second row.
  values = _mm256_add_epi32(values, _mm256_slli_epi64(values, 32));
  const __m256i second_of_row = _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, 4, 5, 6, 7, 4, 5, 6, 7, -1,
                                                 -1, -1, -1, -1, -1, -1, -1, 4, 5, 6, 7, 4, 5, 6, 7);
  values = _mm256_add_epi32(values, _mm256_shuffle_epi8(values, second_of_row));
  const __m256i first_row = _mm256_permutevar8x32_epi32(values, _mm256_set1_epi32(3));
  return _mm256_add_epi32(values, _mm256_blend_epi32(_mm256_setzero_si256(), first_row, 0xf0));
}

template <Transform Undone>
PLAINFS_AVX2 __m256i undone(__m256i values, __m256i& before) {
  if constexpr (Undone == Transform::minus_one) return _mm256_sub_epi32(values, _mm256_set1_epi32(-1));
  if constexpr (!uses_starts(Undone)) return values;
  if constexpr (Undone == Transform::zigzag_difference) {
    const __m256i sign =
        _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(values, _mm256_set1_epi32(1)));
    values = _mm256_xor_si256(_mm256_srli_epi32(values, 1), sign);
  }
  const __m256i sums = running_sums(values), all = _mm256_add_epi32(sums, before);
  before = _mm256_add_epi32(before, _mm256_permutevar8x32_epi32(sums, _mm256_set1_epi32(7)));
  return all;
}

template <Transform Undone, unsigned Width, size_t... Pair>
PLAINFS_AVX2 void unpack_pairs(const uint32_t* words, uint32_t start, uint32_t* values,
                               std::index_sequence<Pair...>) {
  __m256i before = _mm256_set1_epi32(static_cast<int>(start));
  (_mm256_storeu_si256(reinterpret_cast<__m256i*>(values + 8 * Pair),
                       undone<Undone>(packed_pair<Width, 2 * Pair>(words), before)),
   ...);
}

template <Transform Undone, unsigned Width>
__attribute__((target("avx2"))) void unpack_by_avx2(const uint32_t* words, uint32_t start, uint32_t* values) {
  unpack_pairs<Undone, Width>(words, start, values, std::make_index_sequence<kRows / 2>());
}

// A block of width 32 is stored without its transform.
constexpr Transform undone_at(size_t width, Transform transform) {
  return width == kMaxWidth ? Transform::none : transform;
}

template <Transform Undone, size_t... Width>
constexpr auto avx2_kernels(std::index_sequence<Width...>) {
  return std::array{&unpack_by_avx2<undone_at(Width, Undone), Width>...};
}

// Indexed by transform, then by width.
constexpr std::array kAvx2Kernels = {
    avx2_kernels<Transform::none>(kEachWidth), avx2_kernels<Transform::minus_one>(kEachWidth),
    avx2_kernels<Transform::difference>(kEachWidth), avx2_kernels<Transform::zigzag_difference>(kEachWidth)};

// Facts gathered about zigzag codes. The code of a positive difference is twice the difference.
struct Differences {
  __m256i odd;   // lowest bit set: a code of that lane has a negative difference
  __m256i zero;  // all bits set: a code of that lane has the difference 0
  __m256i sums;  // sums of the codes
};
PLAINFS_AVX2 void take(__m256i codes, Differences& seen) {
  seen.odd = _mm256_or_si256(seen.odd, codes);
  seen.zero = _mm256_or_si256(seen.zero, _mm256_cmpeq_epi32(codes, _mm256_setzero_si256()));
  seen.sums = _mm256_add_epi32(seen.sums, codes);
}

template <unsigned Width, size_t... Pair>
PLAINFS_AVX2 Differences all_differences(const uint32_t* words, std::index_sequence<Pair...>) {
  Differences seen{};
  // The first difference is 0. It counts as 1 here, and rise_by_avx2 subtracts it again.
  const __m256i first = packed_pair<Width, 0>(words);
  seen.zero = _mm256_cmpgt_epi32(_mm256_and_si256(first, _mm256_setr_epi32(-1, 0, 0, 0, 0, 0, 0, 0)),
                                 _mm256_setzero_si256());
  take(_mm256_or_si256(first, _mm256_setr_epi32(2, 0, 0, 0, 0, 0, 0, 0)), seen);
  (take(packed_pair<Width, 2 * Pair + 2>(words), seen), ...);
  return seen;
}

template <unsigned Width>
__attribute__((target("avx2"))) bool rise_by_avx2(const uint32_t* words, uint32_t& sum) {
  const Differences seen = all_differences<Width>(words, std::make_index_sequence<kRows / 2 - 1>());
  const __m256i bad = _mm256_or_si256(_mm256_and_si256(seen.odd, _mm256_set1_epi32(1)), seen.zero);
  uint32_t sums[8];
  std::memcpy(sums, &seen.sums, sizeof sums);
  uint64_t all = 0;
  for (const uint32_t one : sums) all += one;
  sum = static_cast<uint32_t>(all / 2) - 1;
  return _mm256_testz_si256(bad, bad);
}

template <size_t... Width>
constexpr auto rise_kernels(std::index_sequence<Width...>) {
  return std::array{&rise_by_avx2<Width>...};
}
constexpr auto kRiseKernels = rise_kernels(std::make_index_sequence<kMaxRisingWidth + 1>());
#undef PLAINFS_AVX2
#endif

}  // namespace

bool differences_rise(unsigned width, const uint32_t* words, uint32_t& sum) {
  assert(width <= kMaxRisingWidth);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return kRiseKernels[width](words, sum);
#endif
  return differences_rise_anywhere(width, words, sum);
}

void unpack_block(unsigned width, Transform transform, uint32_t start, const uint32_t* words,
                  uint32_t* values) {
#if defined(__x86_64__)
  assert(width <= kMaxWidth);
  if (__builtin_cpu_supports("avx2"))
    return kAvx2Kernels[static_cast<size_t>(transform)][width](words, start, values);
#endif
  unpack_block_anywhere(width, transform, start, words, values);
}

void unpack_block_anywhere(unsigned width, Transform transform, uint32_t start, const uint32_t* words,
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

bool differences_rise_anywhere(unsigned width, const uint32_t* words, uint32_t& sum) {
  uint32_t codes[kBlockValues];
  kKernels[width](words, codes);
  uint32_t bad = codes[0];
  sum = 0;
  for (size_t i = 1; i < kBlockValues; ++i) {
    bad |= (codes[i] & 1) | (codes[i] == 0);
    sum += codes[i] / 2;
  }
  return bad == 0;
}

}  // namespace plainfs::bpcells
