// matrix.mtx for matrices that store the row and column of each entry (fs/VIEWS.md, section 5).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "formats/core/model/elements/dtype.h"
#include "formats/core/model/node.h"
#include "formats/core/text/digits.h"
#include "formats/core/text/number_loops.h"
#include "fs/text/field_text.h"
#include "fs/text/sink.h"
#include "fs/text/text_file.h"

namespace plainfs {

// Returns the text of `matrix` in stored order. prepare() throws damaged if the lists differ in length. An
// index outside the matrix is damage of its block.
std::unique_ptr<TextSource> mtx_coordinates(CoordinateMatrix matrix, Context& context);

// The parts of MatrixMarket text that sparse and dense matrices share: the supported types of values, the
// header, and the approximate length of lines.

// Returns whether matrix.mtx of a sparse matrix can hold values of `type`: numbers, complex ones too, or
// booleans.
bool has_mtx_values(const DType& type);

// Returns the type in which the values are written: integers for booleans and enumerations, because
// MatrixMarket has no names for them. Requires: has_mtx_values(type).
DType mtx_number_type(const DType& type);

// Returns the banner and the size line.
std::string mtx_head(const DType& type, uint64_t rows, uint64_t columns, uint64_t entries,
                     bool is_symmetric = false);

// Returns the approximate number of characters of a line.
uint64_t mtx_line_width(uint64_t rows, uint64_t columns, const DType& type);

// Writes one value: of a complex number its real part, a blank and its imaginary part.
template <class Sink>
void put_mtx_value(const DType& type, const Elements& values, uint64_t entry, std::string& scratch,
                   Sink& sink) {
  if (type.kind != Kind::complex) return put_csv_field(type, values, entry, scratch, sink);
  if (values.is_missing(entry)) throw unsupported("MatrixMarket has no missing complex numbers");
  visit_number(number_type(Kind::real, type.size / 2), [&](auto zero) {
    const auto parts = values.values<decltype(zero)>().subspan(2 * entry, 2);
    sink.put_number(parts[0]);
    sink.put(' ');
    sink.put_number(parts[1]);
  });
}

// The inner loop of matrix.mtx, which writes one row or column after another. Parts that are constant in a
// run of entries are formatted once; the rest is an index, a value and a few bytes per line.

// Entries that have the same major index.
template <class Index, class Value>
struct MtxRun {
  std::span<const Index> index;  // minor, 0-based; below the type's maximum
  std::span<const Value> value;  // as many as indices
  uint64_t major;                // 1-based, as in the text
  bool by_row;                   // the major index is the row, which is written first
};

// Returns the total number of digits of all indices as they are written, from 1, by counting how many reach
// each power of ten. The indices of a row or column usually increase, and then a binary search counts them.
template <class T>
uint64_t digits_of_indices(std::span<const T> values) {
  constexpr size_t kWorthLooking = 32;
  const bool rise = values.size() >= kWorthLooking && rise_strictly(values);
  const T most = rise ? values.back() : largest(values);
  uint64_t digits = values.size();
  for (size_t power = 1; power < kPowersOfTen.size() && kPowersOfTen[power] <= uint64_t{most} + 1; ++power) {
    const T least = static_cast<T>(kPowersOfTen[power] - 1);
    if (rise)
      digits += static_cast<uint64_t>(values.end() - std::lower_bound(values.begin(), values.end(), least));
    else
      digits += count_at_least(values, least);
  }
  return digits;
}

template <class Index, class Value>
void put_lines(const MtxRun<Index, Value>& run, CountingSink& sink) {
  uint64_t size = run.index.size() * (number_length(run.major) + 3);  // two blanks and the line feed
  size += digits_of_indices(run.index);
  sink.skip(size + number_lengths(run.value));
}

// A writer of digits for numbers that mostly share all digits but the last three with the number before, like
// the sorted indices of a row or column. It stops looking for shared digits if they change too often.
template <class Index>
class RisingDigits {
 public:
  explicit RisingDigits(const char* text) : last_change_(text) {}

  // Writes up to 8 bytes beyond the returned end.
  char* put(char* at, Index number) {
    if (const Index rest = static_cast<Index>(number - start_); rest < reach_) {
      std::memcpy(at, &head_, sizeof head_);
      return put_three_digits(at + head_length_, static_cast<uint32_t>(rest));
    }
    char* const end = put_digits(at, number);
    if (patience_ > 0) remember(at, end, number);
    return end;
  }

 private:
  static constexpr int kPatience = 16;        // changes of the head, each soon after the one before
  static constexpr ptrdiff_t kSoon = 4 * 16;  // bytes: a few lines

  void remember(const char* text, const char* end, Index number) {
    if (number < 1000) return;
    patience_ = text - last_change_ < kSoon ? patience_ - 1 : kPatience;
    last_change_ = text;
    if (end - text > static_cast<ptrdiff_t>(sizeof head_ + 3)) return;
    start_ = static_cast<Index>(number - number % 1000);
    reach_ = 1000;
    head_length_ = static_cast<size_t>(end - text) - 3;
    std::memcpy(&head_, text, sizeof head_);
  }

  Index start_ = 0;
  Index reach_ = 0;  // numbers from start_ on that begin with head_
  uint64_t head_ = 0;
  size_t head_length_ = 0;
  int patience_ = kPatience;
  const char* last_change_;  // its position in the text
};

// A writer of the lines of one run, set up once for its major index.
template <bool by_row>
class LineWriter {
 public:
  explicit LineWriter(uint64_t major, bool many) {
    char* end = major_;
    if (!by_row) *end++ = ' ';
    end = write_number(end, major);
    *end++ = ' ';
    major_length_ = static_cast<size_t>(end - major_);
    const std::string_view before_value =
        by_row ? std::string_view(" ") : std::string_view(major_, major_length_);
    has_ends_ = many && before_value.size() + 2 <= kEndSize;
    if (!has_ends_) return;
    end_length_ = before_value.size() + 2;
    for (size_t digit = 0; digit < 10; ++digit) {
      std::memcpy(ends_[digit], before_value.data(), before_value.size());
      ends_[digit][before_value.size()] = static_cast<char>('0' + digit);
      ends_[digit][before_value.size() + 1] = '\n';
    }
  }

  template <class Index, class Value>
  void put(std::span<const Index> index, std::span<const Value> value, ByteSink& sink) const {
    // Copies, because bytes of text cannot alias them.
    const bool has_ends = has_ends_;
    const size_t end_length = end_length_, major_length = major_length_;
    const auto put_major = [this, major_length](char* at) {
      std::memcpy(at, major_, 8);
      if (major_length > 8) std::memcpy(at + 8, major_ + 8, 16);
      return at + major_length;
    };
    char* at = sink.reserve(0);
    RisingDigits<Index> minor(at);
    const char* const limit = at + sink.room();
    for (size_t i = 0; i < index.size() && at <= limit; ++i) {
      if (by_row) at = put_major(at);
      at = minor.put(at, static_cast<Index>(index[i] + 1));
      if constexpr (std::is_same_v<Value, uint32_t>) {
        if (has_ends && value[i] < 10) {
          std::memcpy(at, ends_[value[i]], kEndSize);
          at += end_length;
          continue;
        }
      }
      if (by_row)
        *at++ = ' ';
      else
        at = put_major(at);
      if constexpr (std::is_same_v<Value, uint32_t>)
        at = put_digits(at, value[i]);
      else
        at = write_number(at, value[i]);
      *at++ = '\n';
    }
    sink.set_end(at);
    sink.reserve(0);  // throws if the loop has ended early
  }

 private:
  static constexpr size_t kEndSize = 16;

  char major_[kNumberTextMax + 8] = {};  // with its blanks; copied in pieces of fixed size
  size_t major_length_ = 0;
  bool has_ends_;
  char ends_[10][kEndSize];  // the text after the minor index in a line with a one-digit value
  size_t end_length_ = 0;
};

template <class Index, class Value>
void put_lines(const MtxRun<Index, Value>& run, ByteSink& sink) {
  const bool many = run.index.size() >= 16;
  if (run.by_row)
    LineWriter<true>(run.major, many).put(run.index, run.value, sink);
  else
    LineWriter<false>(run.major, many).put(run.index, run.value, sink);
}

template <class Real>
[[gnu::always_inline]] inline bool are_counts_plainly(std::span<const Real> values,
                                                      std::span<uint32_t> counts) {
  // The bits of non-negative numbers increase with their values. Those of all other numbers are above them,
  // including -0, which is written with its sign.
  using Bits = OneAsWide<Real>;
  constexpr Bits kEnd = std::bit_cast<Bits>(static_cast<Real>(1 << 24));
  Bits others = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const Bits stored = std::bit_cast<Bits>(values[i]);
    const Bits bits = stored & (Bits{0} - Bits{stored < kEnd});  // no branch
    const auto whole = static_cast<int32_t>(std::bit_cast<Real>(bits));
    counts[i] = static_cast<uint32_t>(whole);
    others |= std::bit_cast<Bits>(static_cast<Real>(whole)) ^ stored;
  }
  return others == 0;
}

#if defined(__x86_64__)
template <class Real>
__attribute__((target("avx2"))) bool are_counts_by_avx2(std::span<const Real> values,
                                                        std::span<uint32_t> counts) {
  return are_counts_plainly(values, counts);
}
#endif

// Returns whether all values are small non-negative integers, as in counts stored as reals. If so, `counts`
// holds them. Requires: as many counts as values.
template <class Real>
bool are_counts(std::span<const Real> values, std::span<uint32_t> counts) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return are_counts_by_avx2(values, counts);
#endif
  return are_counts_plainly(values, counts);
}

template <class Index, class Value, class Sink>
void put_entries(const MtxRun<Index, Value>& run, Sink& sink) {
  if constexpr (std::is_floating_point_v<Value>) {
    constexpr size_t kPiece = 512;
    uint32_t counts[kPiece];
    for (size_t first = 0; first < run.index.size(); first += kPiece) {
      const size_t size = std::min(kPiece, run.index.size() - first);
      const auto index = run.index.subspan(first, size);
      const auto value = run.value.subspan(first, size);
      if (are_counts(value, std::span(counts).first(size)))
        put_lines(MtxRun<Index, uint32_t>{index, {counts, size}, run.major, run.by_row}, sink);
      else
        put_lines(MtxRun<Index, Value>{index, value, run.major, run.by_row}, sink);
    }
  } else {
    put_lines(run, sink);
  }
}

}  // namespace plainfs
