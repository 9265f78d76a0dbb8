#include "fs/views/table/row_text.h"

#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"

namespace plainfs {

size_t RowUnits::Rows::allocated_bytes() const {
  size_t bytes = parts.capacity() * sizeof(Elements);
  for (const Elements& part : parts) bytes += part.allocated_bytes();
  return bytes;
}

RowUnits::RowUnits(uint64_t rows, std::vector<ArrayPtr> arrays, uint64_t row_text, Context& context,
                   bool read_often)
    : rows_(rows), context_(context), read_often_(read_often), cache_owner_(context.cache.new_owner()) {
  for (ArrayPtr& array : arrays) {
    const uint64_t per_row = rows > 0 ? array->count() / rows : 0;
    parts_.push_back({std::move(array), per_row});
  }
  rows_in_block_ = std::max<uint64_t>(1, kBlockText / std::max<uint64_t>(row_text, 1));
  choose_units();
}

RowUnits::~RowUnits() {
  context_.cache.drop(cache_owner_, cache_owner_ + 1);
}

// Returns the number of rows in the chunks that a pass holds at once.
uint64_t RowUnits::rows_in_band(const Part& part) const {
  const uint64_t band = elements_in_band(part.array->shape(), part.array->chunk_shape());
  return std::clamp<uint64_t>(divide_up(band, std::max<uint64_t>(part.per_row, 1)), 1,
                              std::max<uint64_t>(rows_, 1));
}

void RowUnits::choose_units() {
  constexpr uint64_t kUnitPartBytes = sizeof(Elements) + 64;  // overhead of a part of a unit
  uint64_t row_bytes = 1, chunk_rows = 1;
  double band_bytes = 0;
  for (const Part& part : parts_) {
    const uint64_t size = saturating_multiply(decoded_size(part.array->dtype()), part.per_row);
    const uint64_t band = rows_in_band(part);
    row_bytes = saturating_add(row_bytes, size);
    chunk_rows = std::max(chunk_rows, band);
    band_bytes += static_cast<double>(band) * static_cast<double>(size);
  }
  const uint64_t budget = context_.cache.statistics().budget_bytes;
  rows_in_unit_ = rows_in_block_;
  if (band_bytes > static_cast<double>(budget / 2)) {
    // Room for this unit and the next one, and as much again for chunks.
    const uint64_t parts_bytes = std::min(budget / 4, parts_.size() * kUnitPartBytes);
    rows_in_unit_ = std::max(rows_in_block_, std::min((budget / 4 - parts_bytes) / row_bytes, rows_));
    if (rows_in_unit_ > chunk_rows) rows_in_unit_ -= rows_in_unit_ % chunk_rows;
  }
  blocks_in_unit_ = divide_up(rows_in_unit_, rows_in_block_);
}

uint64_t RowUnits::block_count() const {
  return rows_ / rows_in_unit_ * blocks_in_unit_ + divide_up(rows_ % rows_in_unit_, rows_in_block_);
}

RowUnits::Block RowUnits::block(uint64_t number) const {
  const uint64_t unit = number / blocks_in_unit_;
  const uint64_t first_in_unit = number % blocks_in_unit_ * rows_in_block_;
  const uint64_t first = unit * rows_in_unit_ + first_in_unit;
  return {unit, first_in_unit, first,
          std::min({rows_in_block_, rows_in_unit_ - first_in_unit, rows_ - first})};
}

// Drops the chunks of rows [first, end). The cache would not keep them until the next unit needs them, and
// they would only push out units that are in use.
void RowUnits::let_go(const Part& part, uint64_t first, uint64_t end) const {
  const uint64_t in_band = rows_in_band(part);
  const uint64_t band_end = std::min(rows_, divide_up(end, in_band) * in_band);
  passed_run(*part.array, first * part.per_row, (band_end - first) * part.per_row);
}

RowUnits::Rows RowUnits::read_rows(uint64_t first, uint64_t count, size_t without) const {
  Rows rows;
  rows.parts.resize(parts_.size());
  const auto read_part = [&](size_t i) {
    const Part& part = parts_[i];
    rows.parts[i] = read_run(*part.array, first * part.per_row, count * part.per_row);
    if (blocks_in_unit_ > 1) let_go(part, first, first + count);
  };
  if (are_shared()) {
    context_.workers.parallel_for(parts_.size(), read_part);
  } else {
    for (size_t i = 0; i < parts_.size(); ++i)
      if (i != without) read_part(i);
  }
  return rows;
}

std::shared_ptr<const RowUnits::Rows> RowUnits::read(uint64_t unit, size_t without) const {
  const uint64_t first = unit * rows_in_unit_, count = std::min(rows_in_unit_, rows_ - first);
  if (!are_shared()) return std::make_shared<const Rows>(read_rows(first, count, without));
  return context_.cache.get<Rows>({cache_owner_, unit}, [&] {
    if (blocks_in_unit_ == 1) return read_rows(first, count);
    const uint64_t bytes = context_.cache.statistics().budget_bytes / 4;
    const auto turn = context_.unit_budget.take(bytes);
    const ByteCache::Reservation room(context_.cache, bytes);
    return read_rows(first, count);
  });
}

}  // namespace plainfs
