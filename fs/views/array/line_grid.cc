#include "fs/views/array/line_grid.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/axis_order.h"
#include "fs/text/text_file.h"

namespace plainfs {

namespace {

// The size of a unit. A unit to be transposed then reads each stored run in pieces of useful length.
constexpr uint64_t kUnitBytes = 2 << 20;
constexpr uint64_t kEmptyLinesInBlock = 64 * 1024;

Shape reversed(Shape shape) {
  std::reverse(shape.begin(), shape.end());
  return shape;
}

// Returns the product of the extents of axes [first, last).
uint64_t product(std::span<const uint64_t> shape, size_t first, size_t last) {
  return element_count(shape.subspan(first, last - first));
}

// Returns the number of elements in few chunks. A block of text then does not read thousands of tiny ones,
// each of which may be a request to a server. An array of very many tiny chunks has more in each block,
// because every block has an offset.
uint64_t elements_in_few_chunks(const Shape& shape, const Shape& chunk) {
  constexpr uint64_t kFewChunks = 8, kManyBlocks = 1 << 16;
  uint64_t elements = kFewChunks;
  for (size_t axis = 0; axis < shape.size() && elements < kBlockText; ++axis)
    elements *=
        std::clamp<uint64_t>(chunk[axis], 1, std::max<uint64_t>(1, std::min(shape[axis], kBlockText)));
  return std::max(elements, element_count(shape) / kManyBlocks);
}

}  // namespace

LineGrid::LineGrid(const Array& array, uint64_t element_text, const Context& context)
    : rank_(array.shape().size()), column_major_(array.column_major() && rank_ >= 2), shape_(array.shape()) {
  if (column_major_) shape_ = reversed(std::move(shape_));
  while (shape_.size() < 2) shape_.push_back(1);
  lines_ = product(shape_, 0, shape_.size() - 1);
  width_ = shape_.back();
  if (lines_ == 0) return;
  checked_multiply(lines_, width_);
  if (width_ == 0) {
    block_elements_ = kEmptyLinesInBlock;
    block_count_ = divide_up(lines_, block_elements_);
    return;
  }
  Shape chunk = column_major_ ? reversed(array.chunk_shape()) : array.chunk_shape();
  while (chunk.size() < shape_.size()) chunk.push_back(1);
  choose_units(array, element_text, chunk, context);
}

void LineGrid::choose_units(const Array& array, uint64_t element_text, const Shape& chunk,
                            const Context& context) {
  const uint64_t text_elements =
      std::clamp<uint64_t>(kBlockText / element_text, 1, elements_in_few_chunks(shape_, chunk));
  const uint64_t wanted =
      column_major_ ? std::max(text_elements, kUnitBytes / decoded_size(array.dtype())) : text_elements;
  const uint64_t most = run_length(wanted, elements_in_band(shape_, chunk), array.dtype(), context);

  uint64_t inner = 1;
  for (unit_axis_ = shape_.size() - 1; unit_axis_ > 0 && inner * shape_[unit_axis_] <= most; --unit_axis_)
    inner *= shape_[unit_axis_];
  unit_length_ = std::clamp<uint64_t>(most / inner, 1, shape_[unit_axis_]);
  if (unit_length_ < shape_[unit_axis_] && unit_length_ > chunk[unit_axis_] && chunk[unit_axis_] > 0)
    unit_length_ -= unit_length_ % chunk[unit_axis_];
  unit_elements_ = unit_length_ * inner;
  units_along_ = divide_up(shape_[unit_axis_], unit_length_);

  block_elements_ = std::min(text_elements, unit_elements_);
  if (block_elements_ > width_) block_elements_ -= block_elements_ % width_;
  if (unit_elements_ / block_elements_ < 2) block_elements_ = unit_elements_;
  blocks_in_unit_ = divide_up(unit_elements_, block_elements_);
  const uint64_t last_length = shape_[unit_axis_] - (units_along_ - 1) * unit_length_;
  blocks_in_last_unit_ = divide_up(last_length * inner, block_elements_);
  const uint64_t blocks_along = (units_along_ - 1) * blocks_in_unit_ + blocks_in_last_unit_;
  block_count_ = product(shape_, 0, unit_axis_) * blocks_along;
}

LineGrid::Block LineGrid::block(uint64_t number) const {
  if (width_ == 0) {
    const uint64_t line = number * block_elements_;
    return {0, 0, std::min(block_elements_, lines_ - line), line, 0};
  }
  const uint64_t blocks_along = (units_along_ - 1) * blocks_in_unit_ + blocks_in_last_unit_;
  const uint64_t along = std::min(number % blocks_along / blocks_in_unit_, units_along_ - 1);
  const uint64_t unit_number = number / blocks_along * units_along_ + along;
  const Unit unit = this->unit(unit_number);
  const uint64_t first = (number % blocks_along - along * blocks_in_unit_) * block_elements_;
  const uint64_t element = unit.first + first;
  return {unit_number, first, std::min(block_elements_, unit.count - first), element / width_,
          element % width_};
}

LineGrid::Unit LineGrid::unit(uint64_t number) const {
  Unit unit{Shape(shape_.size(), 0), Shape(shape_.size(), 1), 0, 1};
  const uint64_t along = number % units_along_;
  unit.origin[unit_axis_] = along * unit_length_;
  unit.extent[unit_axis_] = std::min(unit_length_, shape_[unit_axis_] - along * unit_length_);
  uint64_t before = number / units_along_;
  for (size_t axis = unit_axis_; axis-- > 0; before /= shape_[axis])
    unit.origin[axis] = before % shape_[axis];
  for (size_t axis = unit_axis_ + 1; axis < shape_.size(); ++axis) unit.extent[axis] = shape_[axis];
  for (size_t axis = 0; axis < shape_.size(); ++axis) {
    unit.first = unit.first * shape_[axis] + unit.origin[axis];
    unit.count *= unit.extent[axis];
  }
  return unit;
}

Box LineGrid::unit_box(uint64_t number) const {
  Unit unit = this->unit(number);
  if (column_major_) return {reversed(std::move(unit.origin)), reversed(std::move(unit.extent))};
  unit.origin.resize(rank_);
  unit.extent.resize(rank_);
  return {std::move(unit.origin), std::move(unit.extent)};
}

Elements LineGrid::read_unit(const Array& array, uint64_t number) const {
  Box box = unit_box(number);
  Elements stored = array.read(box);
  return column_major_ ? transposed_back(array.dtype(), std::move(stored), reversed(std::move(box.extent)),
                                         reversed_axes(rank_))
                       : stored;
}

namespace {

// The element that all elements of a unit are equal to, if its chunks are absent.
struct RepeatedElement {
  std::optional<Elements> one;
  size_t allocated_bytes() const { return one ? one->allocated_bytes() : 0; }
};

}  // namespace

GridUnits::GridUnits(ArrayPtr array, uint64_t element_text, Context& context)
    : array_(std::move(array)),
      context_(context),
      grid_(*array_, element_text, context),
      units_owner_(context.cache.new_owner()),
      repeated_owner_(context.cache.new_owner()) {}

GridUnits::~GridUnits() {
  context_.cache.drop(units_owner_, units_owner_ + 1);
  context_.cache.drop(repeated_owner_, repeated_owner_ + 1);
}

std::shared_ptr<const Elements> GridUnits::read(uint64_t unit) const {
  if (!grid_.units_are_shared()) return std::make_shared<const Elements>(grid_.read_unit(*array_, unit));
  return context_.cache.get<Elements>({units_owner_, unit}, [&] {
    const uint64_t elements = element_count(grid_.unit_box(unit).extent);
    // Room for the elements as stored and transposed.
    const auto room =
        context_.unit_budget.take(checked_multiply(elements, 2 * decoded_size(array_->dtype())));
    return grid_.read_unit(*array_, unit);
  });
}

bool GridUnits::should_cache(uint64_t unit) const {
  constexpr uint64_t kPart = 16;  // of the cache's budget
  const uint64_t elements = element_count(grid_.unit_box(unit).extent);
  const uint64_t budget = context_.cache.statistics().budget_bytes;
  return elements <= budget / kPart / decoded_size(array_->dtype()) && !repeated(unit);
}

std::optional<Elements> GridUnits::repeated(uint64_t unit) const {
  const auto load = [&] { return RepeatedElement{array_->repeated(grid_.unit_box(unit))}; };
  if (!grid_.units_are_shared()) return load().one;
  return context_.cache.get<RepeatedElement>({repeated_owner_, unit}, load)->one;
}

}  // namespace plainfs
