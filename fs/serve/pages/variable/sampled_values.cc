#include "fs/serve/pages/variable/sampled_values.h"

#include <algorithm>

#include "formats/core/model/elements/number_cast.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMaxDecoded = uint64_t{1} << 28;  // elements in the chunks that a picture needs
constexpr uint64_t kMaxDrawnLine = uint64_t{1} << 20;
constexpr uint64_t kFieldBand = uint64_t{1} << 20;  // elements read at once
constexpr uint64_t kMaxRankedOfPlane = uint64_t{1} << 16;
constexpr uint64_t kMaxReads = uint64_t{1} << 14;  // of single values in a plane

uint64_t divided_up(uint64_t count, uint64_t by) {
  return by == 0 ? 0 : count / by + (count % by != 0);
}

// The cost of reading in elements that have to be decoded.
class ReadCost {
 public:
  ReadCost(const Array& values) : chunk_(values.chunk_shape()), shape_(values.shape()) {
    for (size_t axis = 0; axis < chunk_.size(); ++axis) {
      chunk_[axis] = std::clamp<uint64_t>(chunk_[axis], 1, std::max<uint64_t>(1, shape_[axis]));
      is_one_chunk_ = is_one_chunk_ && chunk_[axis] == shape_[axis];
    }
  }

  uint64_t chunk(size_t axis) const { return is_one_chunk_ ? 1 : chunk_[axis]; }

  // Returns how many chunks may be read.
  uint64_t allowed_chunks() const {
    return std::max<uint64_t>(1,
                              kMaxDecoded / std::max<uint64_t>(1, is_one_chunk_ ? 1 : element_count(chunk_)));
  }

  // Returns the least step along an axis with at most `most` values in at most `allowed` chunks.
  uint64_t step_for(size_t axis, uint64_t most, uint64_t allowed) const {
    const uint64_t length = shape_[axis], by_count = std::max<uint64_t>(1, divided_up(length, most));
    const uint64_t chunks = divided_up(length, chunk(axis));
    return chunks <= allowed ? by_count : std::max(by_count, chunk(axis) * divided_up(chunks, allowed));
  }

 private:
  Shape chunk_;
  const Shape& shape_;
  bool is_one_chunk_ = true;
};

std::vector<double> read_numbers(const Array& values, const Box& box) {
  std::vector<double> numbers;
  append_doubles(values.dtype(), values.read(box), numbers);
  values.release(box);
  return numbers;
}

class PlaneReader {
 public:
  PlaneReader(const Array& values, const Shape& at, size_t row_axis, size_t column_axis)
      : values_(values),
        row_axis_(row_axis),
        column_axis_(column_axis),
        all_rows_(values.shape()[row_axis]),
        all_columns_(values.shape()[column_axis]),
        cost_(values),
        box_{at, Shape(at.size(), 1)},
        counting_(std::max<uint64_t>(1, all_rows_ * all_columns_ / kMaxRankedOfPlane)) {}

  SampledPlane read() {
    choose_steps();
    plane_.rows = divided_up(all_rows_, plane_.row_step);
    plane_.columns = divided_up(all_columns_, plane_.column_step);
    plane_.values.reserve(plane_.rows * plane_.columns);
    if (plane_.is_whole)
      read_all_rows();
    else
      read_some_rows();
    plane_.statistics = counting_.finish();
    return std::move(plane_);
  }

 private:
  void choose_steps() {
    const uint64_t allowed = cost_.allowed_chunks();
    const uint64_t chunks =
        divided_up(all_rows_, cost_.chunk(row_axis_)) * divided_up(all_columns_, cost_.chunk(column_axis_));
    plane_.row_step = std::max<uint64_t>(1, divided_up(all_rows_, kMaxFieldSide));
    plane_.column_step = std::max<uint64_t>(1, divided_up(all_columns_, kMaxFieldSide));
    plane_.is_whole = chunks <= allowed && all_rows_ * all_columns_ <= kMaxDecoded;
    if (plane_.is_whole) return;
    // Single values of some chunks, as many along both axes.
    uint64_t side = 1;
    while ((side + 1) * (side + 1) <= std::min(allowed, kMaxReads)) ++side;
    plane_.row_step = cost_.step_for(row_axis_, side, side);
    plane_.column_step = cost_.step_for(column_axis_, side, side);
  }

  // Reads bands of all columns, or parts of a row that is longer than a band.
  void read_all_rows() {
    const uint64_t width = std::min(all_columns_, kFieldBand);
    const uint64_t band = width < all_columns_ ? 1 : std::max<uint64_t>(1, kFieldBand / width);
    for (uint64_t row = 0; row < all_rows_; row += band)
      for (uint64_t column = 0; column < all_columns_; column += width)
        take(row, std::min(band, all_rows_ - row), column, std::min(width, all_columns_ - column));
  }

  void read_some_rows() {
    for (uint64_t row = 0; row < all_rows_; row += plane_.row_step)
      for (uint64_t column = 0; column < all_columns_; column += plane_.column_step) take(row, 1, column, 1);
  }

  // Reads a part, and keeps each value at a step of both axes.
  void take(uint64_t row, uint64_t rows, uint64_t column, uint64_t columns) {
    box_.origin[row_axis_] = row;
    box_.extent[row_axis_] = rows;
    box_.origin[column_axis_] = column;
    box_.extent[column_axis_] = columns;
    const std::vector<double> numbers = read_numbers(values_, box_);
    counting_.add(numbers);
    const bool is_turned = column_axis_ < row_axis_;
    for (uint64_t r = first_step(row, plane_.row_step); r < rows; r += plane_.row_step)
      for (uint64_t c = first_step(column, plane_.column_step); c < columns; c += plane_.column_step)
        plane_.values.push_back(numbers[is_turned ? c * rows + r : r * columns + c]);
  }

  static uint64_t first_step(uint64_t from, uint64_t step) { return (step - from % step) % step; }

  const Array& values_;
  const size_t row_axis_, column_axis_;
  const uint64_t all_rows_, all_columns_;
  const ReadCost cost_;
  Box box_;
  Counting counting_;
  SampledPlane plane_;
};

}  // namespace

SampledPlane sampled_plane(const Array& values, const Shape& at, size_t row_axis, size_t column_axis) {
  return PlaneReader(values, at, row_axis, column_axis).read();
}

SampledLine sampled_line(const Array& values, const Shape& at, size_t axis) {
  const ReadCost cost(values);
  const uint64_t length = values.shape()[axis];
  SampledLine line;
  line.step = cost.step_for(axis, kMaxDrawnLine, cost.allowed_chunks());
  Box box{at, Shape(at.size(), 1)};
  const uint64_t band = line.step > 1 ? 1 : kFieldBand;
  for (uint64_t i = 0; i < length; i += std::max(band, line.step)) {
    box.origin[axis] = i;
    box.extent[axis] = std::min(band, length - i);
    const std::vector<double> numbers = read_numbers(values, box);
    line.values.insert(line.values.end(), numbers.begin(), numbers.end());
  }
  line.statistics = statistics_of(line.values);
  return line;
}

}  // namespace plainfs::serve
