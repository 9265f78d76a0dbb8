#include "fs/views/parquet/parquet_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "formats/core/base/checked.h"

namespace plainfs {

namespace {

constexpr uint64_t kRunsInPass = 16;

bool has_extremes(const ParquetColumn& column) {
  return column.is_optional() && column.size() > 0 && !column.dictionary() &&
         column.type().physical != ParquetPhysical::boolean;
}

template <class T>
void widen(const Bytes& bytes, bool is_first, ParquetExtremes& extremes) {
  const auto load = [](uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  };
  const auto store = [](T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  };
  const size_t count = bytes.size() / sizeof(T);
  if (count == 0) return;
  T first;
  std::memcpy(&first, bytes.data(), sizeof first);
  T smallest = is_first ? first : load(extremes.smallest);
  T largest = is_first ? first : load(extremes.largest);
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    if constexpr (std::is_floating_point_v<T>) extremes.nans += std::isnan(value);
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  // Readers cannot know which of the two zeros a bound means, so it covers both.
  if constexpr (std::is_floating_point_v<T>) {
    if (smallest == 0) smallest = -T{0};
    if (largest == 0) largest = T{0};
  }
  extremes.smallest = store(smallest);
  extremes.largest = store(largest);
}

void widen(const ParquetType& type, const Bytes& bytes, bool is_first, ParquetExtremes& extremes) {
  switch (type.physical) {
    case ParquetPhysical::int32:
      return type.is_unsigned ? widen<uint32_t>(bytes, is_first, extremes)
                              : widen<int32_t>(bytes, is_first, extremes);
    case ParquetPhysical::int64:
      return type.is_unsigned ? widen<uint64_t>(bytes, is_first, extremes)
                              : widen<int64_t>(bytes, is_first, extremes);
    case ParquetPhysical::real32:
      return widen<float>(bytes, is_first, extremes);
    case ParquetPhysical::real64:
      return widen<double>(bytes, is_first, extremes);
    case ParquetPhysical::boolean:
    case ParquetPhysical::int96:
    case ParquetPhysical::bytes:
    case ParquetPhysical::fixed:
      return;
  }
}

ParquetCounts tally_of(const ParquetColumn& column, uint64_t rows, uint64_t rows_in_group, Context& context) {
  const uint64_t runs = divide_up(rows, kParquetRun), groups = divide_up(rows, rows_in_group);
  const bool is_text = column.size() == 0, has_them = has_extremes(column);
  ParquetCounts all;
  std::vector<uint64_t>&values = all.values, &bytes = all.bytes;
  values.resize(runs + 1);
  bytes.resize(is_text ? runs + 1 : 0);
  all.extremes.resize(has_them ? groups : 0);
  context.workers.parallel_for(groups, [&](size_t group) {
    ParquetExtremes found;
    uint64_t present = 0;
    const uint64_t begin = group * rows_in_group, end = std::min(rows, begin + rows_in_group);
    for (uint64_t first = begin; first < end;) {
      // Texts are read run by run, because their bytes are counted per run.
      const uint64_t some = std::min(end - first, is_text ? kParquetRun : kRunsInPass * kParquetRun);
      const ParquetRun run = column.read(first, some, true);
      for (uint64_t at = 0; at < some; at += kParquetRun) {
        const auto of = run.exists.begin() + static_cast<ptrdiff_t>(at);
        values[(first + at) / kParquetRun + 1] = static_cast<uint64_t>(
            std::count(of, of + static_cast<ptrdiff_t>(std::min(kParquetRun, some - at)), 1));
      }
      if (is_text) bytes[first / kParquetRun + 1] = run.values.size();
      if (has_them) widen(column.type(), run.values, present == 0, found);
      present += run.present;
      first += some;
    }
    if (has_them) all.extremes[group] = found;
  });
  for (uint64_t run = 0; run < runs; ++run) {
    values[run + 1] += values[run];
    if (is_text) bytes[run + 1] = checked_add(bytes[run], bytes[run + 1]);
  }
  return all;
}

}  // namespace

ParquetTally::ParquetTally(ParquetColumnPtr column, uint64_t rows, uint64_t rows_in_group, Context& context)
    : column_(std::move(column)), rows_(rows) {
  const bool is_text = column_->size() == 0;
  if (!column_->is_optional() && !is_text) return;
  counts_ = column_->array().survey<ParquetCounts>(rows_in_group << 1 | uint64_t{is_text}, [&] {
    return tally_of(*column_, rows, rows_in_group, context);
  });
  const uint64_t runs = divide_up(rows, kParquetRun), groups = divide_up(rows, rows_in_group);
  if (counts_->values.size() != runs + 1)
    throw damaged("column {} does not have the {} rows of its table", column_->name(), rows);
  for (uint64_t group = 0; group < groups; ++group)
    in_group_.push_back(values_before(std::min(rows, (group + 1) * rows_in_group)) -
                        values_before(group * rows_in_group));
}

uint64_t ParquetTally::values_before(uint64_t row) const {
  return counts_ ? counts_->values[run_of(row)] : row;
}

uint64_t ParquetTally::bytes_before(uint64_t row) const {
  const bool is_text = column_->size() == 0;
  return is_text ? counts_->bytes[run_of(row)] : values_before(row) * column_->size();
}

std::optional<ParquetExtremes> ParquetTally::extremes(uint64_t group) const {
  if (!counts_ || counts_->extremes.empty() || in_group_[group] == 0) return std::nullopt;
  return counts_->extremes[group];
}

}  // namespace plainfs
