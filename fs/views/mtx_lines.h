// The inner loop of matrix.mtx: entries of one row or column after another. What is the same for a run of
// entries is done once; the rest is an index, a value and a few bytes a line.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>

#include "formats/model/digits.h"
#include "fs/text/sink.h"

namespace plainfs {

// Entries that share their major index.
template <class Index, class Value>
struct EntryRun {
  std::span<const Index> index;  // minor, 0-based; below the type's maximum
  std::span<const Value> value;  // as many
  uint64_t major;                // 1-based, as the text has it
  bool by_row;                   // the major index is the row, which comes first
};

template <class Index, class Value>
void put_entries(const EntryRun<Index, Value>& run, CountingSink& sink) {
  uint64_t size = run.index.size() * (number_length(run.major) + 3);  // two blanks and the line's end
  for (const Index index : run.index) size += digit_count(static_cast<Index>(index + 1));
  for (const Value value : run.value) {
    if constexpr (std::is_same_v<Value, uint32_t>)
      size += digit_count(value);
    else
      size += number_length(value);
  }
  sink.skip(size);
}

template <class Index, class Value>
void put_entries(const EntryRun<Index, Value>& run, ByteSink& sink) {
  // The major index with its blanks, copied in pieces of fixed size.
  char major[kNumberTextMax] = {};
  char* major_end = major;
  if (!run.by_row) *major_end++ = ' ';
  major_end = write_number(major_end, run.major);
  *major_end++ = ' ';
  const size_t major_length = static_cast<size_t>(major_end - major);
  const auto put_major = [&](char* at) {
    std::memcpy(at, major, 8);
    if (major_length > 8) std::memcpy(at + 8, major + 8, 16);
    return at + major_length;
  };

  for (size_t i = 0; i < run.index.size(); ++i) {
    char* at = sink.reserve(0);
    if (run.by_row) {
      at = put_digits(put_major(at), static_cast<Index>(run.index[i] + 1));
      *at++ = ' ';
    } else {
      at = put_major(put_digits(at, static_cast<Index>(run.index[i] + 1)));
    }
    if constexpr (std::is_same_v<Value, uint32_t>)
      at = put_digits(at, run.value[i]);
    else
      at = write_number(at, run.value[i]);
    *at++ = '\n';
    sink.set_end(at);
  }
}

}  // namespace plainfs
