#include "fs/native/parquet_segments.h"

#include <algorithm>
#include <cstring>

#include "formats/core/base/checked.h"

namespace plainfs {

namespace {

// Where each run of the rows begins, counted by `before` from the first one on.
class Runs {
 public:
  using Before = uint64_t (ParquetTally::*)(uint64_t row) const;
  Runs(const ParquetRows& rows, Before before) : rows_(rows), before_(before) {}

  // Of a row that begins a run, or the end.
  uint64_t start(uint64_t row) const {
    return (rows_.tally.get()->*before_)(row) - (rows_.tally.get()->*before_)(rows_.first);
  }
  // The rows of the runs that hold [begin, end).
  std::pair<uint64_t, uint64_t> holding(uint64_t begin, uint64_t end) const {
    return {run_at(begin), std::min(rows_.end(), run_at(end - 1) + kParquetRun)};
  }

 private:
  // The first row of the run that `place` is in: the last one that begins at or before it and is not empty.
  uint64_t run_at(uint64_t place) const {
    uint64_t low = 0, high = divide_up(rows_.count, kParquetRun);
    while (high - low > 1) {
      const uint64_t middle = low + (high - low) / 2;
      (start(rows_.first + middle * kParquetRun) <= place ? low : high) = middle;
    }
    return rows_.first + low * kParquetRun;
  }

  const ParquetRows& rows_;
  const Before before_;
};

class PageValues : public Segment {
 public:
  explicit PageValues(const ParquetRows& rows) : rows_(rows), runs_(rows_, &ParquetTally::bytes_before) {}

  uint64_t size() const override { return runs_.start(rows_.end()); }

  void read(const Wanted& wanted) const override {
    const auto [first, end] = runs_.holding(wanted.offset, wanted.offset + wanted.out.size());
    const ParquetColumn& column = rows_.tally->column();
    const ParquetRun run = column.read(first, end - first, wanted.in_passing);
    const uint64_t start = runs_.start(first);
    if (run.values.size() != runs_.start(end) - start)
      throw unreadable("column {} has changed since it was measured", column.name());
    std::memcpy(wanted.out.data(), run.values.data() + (wanted.offset - start), wanted.out.size());
  }

  uint64_t least_block() const override {
    const ParquetColumn& column = rows_.tally->column();
    return std::max<uint64_t>(1, std::min(column.least_rows(), rows_.count) * column.size());
  }

 private:
  const ParquetRows rows_;
  const Runs runs_;
};

class TruthValues : public Segment {
 public:
  explicit TruthValues(const ParquetRows& rows) : rows_(rows), runs_(rows_, &ParquetTally::values_before) {}

  uint64_t size() const override { return divide_up(rows_.values(), 8); }

  void read(const Wanted& wanted) const override {
    const uint64_t begin = wanted.offset * 8;
    const uint64_t end = std::min(rows_.values(), (wanted.offset + wanted.out.size()) * 8);
    const auto [first_row, end_row] = runs_.holding(begin, end);
    const ParquetColumn& column = rows_.tally->column();
    const ParquetRun run = column.read(first_row, end_row - first_row, wanted.in_passing);
    const uint64_t start = runs_.start(first_row);
    if (run.there != runs_.start(end_row) - start)
      throw unreadable("column {} has changed since it was measured", column.name());
    std::fill(wanted.out.begin(), wanted.out.end(), std::byte{0});
    for (uint64_t i = begin; i < end; ++i)
      wanted.out[(i - begin) / 8] |= (run.values[i - start] & std::byte{1}) << (i - begin) % 8;
  }

 private:
  const ParquetRows rows_;
  const Runs runs_;
};

class PageLevels : public Segment {
 public:
  explicit PageLevels(const ParquetRows& rows) : rows_(rows) {}

  uint64_t size() const override { return divide_up(rows_.count, 8); }

  void read(const Wanted& wanted) const override {
    const uint64_t first = wanted.offset * 8;
    const uint64_t count = std::min(rows_.count, (wanted.offset + wanted.out.size()) * 8) - first;
    const ParquetRun run = rows_.tally->column().read(rows_.first + first, count, wanted.in_passing);
    std::fill(wanted.out.begin(), wanted.out.end(), std::byte{0});
    for (uint64_t i = 0; i < count; ++i)
      wanted.out[i / 8] |= std::byte{static_cast<uint8_t>(run.is_there[i] != 0)} << i % 8;
  }

 private:
  const ParquetRows rows_;
};

class SharedBytes : public Segment {
 public:
  explicit SharedBytes(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
  uint64_t size() const override { return bytes_->size(); }
  void read(const Wanted& wanted) const override {
    std::memcpy(wanted.out.data(), bytes_->data() + wanted.offset, wanted.out.size());
  }

 private:
  const std::shared_ptr<const std::string> bytes_;
};

}  // namespace

SegmentPtr parquet_values(const ParquetRows& rows) {
  if (rows.tally->column().type().physical == ParquetPhysical::boolean)
    return std::make_shared<TruthValues>(rows);
  return std::make_shared<PageValues>(rows);
}

SegmentPtr parquet_levels(const ParquetRows& rows) {
  return std::make_shared<PageLevels>(rows);
}

SegmentPtr shared_bytes(std::shared_ptr<const std::string> bytes) {
  return std::make_shared<SharedBytes>(std::move(bytes));
}

}  // namespace plainfs
