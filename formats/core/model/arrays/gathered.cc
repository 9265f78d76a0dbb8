#include "formats/core/model/arrays/gathered.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "formats/core/base/checked.h"
#include "formats/core/base/half.h"
#include "formats/core/model/arrays/axis_order.h"

namespace plainfs {
namespace {

// The number of elements of a box outside and inside of an axis.
struct Split {
  uint64_t outer = 1;
  uint64_t inner = 1;
};
Split split_at(const Shape& extent, size_t axis) {
  Split split;
  for (size_t d = 0; d < extent.size(); ++d) {
    if (d < axis) split.outer = checked_multiply(split.outer, extent[d]);
    if (d > axis) split.inner = checked_multiply(split.inner, extent[d]);
  }
  return split;
}

class PermutedArray : public Array {
 public:
  PermutedArray(ArrayPtr values, std::vector<size_t> axes)
      : Array(values->dtype(), shape_of(values->shape(), axes)),
        values_(std::move(values)),
        axes_(std::move(axes)) {}

  Shape chunk_shape() const override { return shape_of(values_->chunk_shape(), axes_); }
  void check() const override { values_->check(); }
  bool may_be_missing() const override { return values_->may_be_missing(); }

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    const size_t rank = axes_.size();
    Box stored{Shape(rank), Shape(rank)};
    for (size_t i = 0; i < rank; ++i) {
      stored.origin[axes_[i]] = box.origin[i];
      stored.extent[axes_[i]] = box.extent[i];
    }
    AxisOrder order(rank);
    for (size_t i = 0; i < rank; ++i) order[axes_[i]] = i;
    return transposed_back(dtype(), values_->read(stored), box.extent, order);
  }

 private:
  static Shape shape_of(const Shape& stored, const std::vector<size_t>& axes) {
    Shape shape;
    for (const size_t axis : axes) shape.push_back(stored[axis]);
    return shape;
  }

  const ArrayPtr values_;
  const std::vector<size_t> axes_;
};

class SubsetArray : public Array {
 public:
  SubsetArray(ArrayPtr values, size_t axis, Indices indices)
      : Array(values->dtype(), shape_of(*values, axis, indices->size())),
        values_(std::move(values)),
        axis_(axis),
        indices_(std::move(indices)) {}

  Shape chunk_shape() const override {
    Shape chunk = values_->chunk_shape();
    chunk[axis_] = std::max<uint64_t>(1, std::min(chunk[axis_], shape()[axis_]));
    return chunk;
  }
  void check() const override { values_->check(); }
  bool may_be_missing() const override { return values_->may_be_missing(); }
  Elements read(const Box& box) const override { return read_by(&Array::read, box); }
  Elements peek(const Box& box) const override { return read_by(&Array::peek, box); }

 private:
  Elements read_by(Elements (Array::*part)(const Box&) const, const Box& box) const {
    check_inside(box, shape());
    const uint64_t along = box.extent[axis_];
    const auto [outer, inner] = split_at(box.extent, axis_);
    const auto first = indices_->begin() + static_cast<ptrdiff_t>(box.origin[axis_]);
    const std::vector<uint64_t> wanted(first, first + static_cast<ptrdiff_t>(along));
    if (axis_ == 0 && std::is_sorted(wanted.begin(), wanted.end())) return read_rising(part, box, wanted);
    Elements all;
    // The start of each wanted index in `all`, and its distance from one outer index to the next.
    std::vector<uint64_t> begin(along), stride(along);
    for (const Run& run : runs_of(wanted)) {
      Box stored = box;
      stored.origin[axis_] = run.low;
      stored.extent[axis_] = run.high - run.low + 1;
      const uint64_t before = all.count;
      const Elements some = ((*values_).*part)(stored);
      append(dtype(), all, some, 0, some.count);
      for (const uint64_t place : run.places) {
        begin[place] = before + (wanted[place] - run.low) * inner;
        stride[place] = stored.extent[axis_] * inner;
      }
    }
    std::vector<uint64_t> positions;
    positions.reserve(element_count(box.extent));
    for (uint64_t o = 0; o < outer; ++o)
      for (uint64_t a = 0; a < along; ++a)
        for (uint64_t i = 0; i < inner; ++i) positions.push_back(begin[a] + o * stride[a] + i);
    return gather(dtype(), all, positions);
  }

  // Reads along the first axis: the data are in order, with gaps.
  Elements read_rising(Elements (Array::*part)(const Box&) const, const Box& box,
                       const std::vector<uint64_t>& wanted) const {
    const uint64_t inner = split_at(box.extent, axis_).inner;
    const bool repeat = std::adjacent_find(wanted.begin(), wanted.end()) != wanted.end();
    Elements all = zero_elements(dtype(), 0);
    for (const Run& run : runs_of(wanted)) {
      Box stored = box;
      stored.origin[axis_] = run.low;
      stored.extent[axis_] = run.high - run.low + 1;
      Elements some = ((*values_).*part)(stored);
      if (!repeat && run.places.size() == stored.extent[axis_] && run.places.size() == wanted.size())
        return some;
      for (const uint64_t place : run.places)
        append(dtype(), all, some, (wanted[place] - run.low) * inner, inner);
    }
    return all;
  }

  static Shape shape_of(const Array& values, size_t axis, uint64_t extent) {
    Shape shape = values.shape();
    shape[axis] = extent;
    return shape;
  }

  // Adjacent indices that are read together.
  struct Run {
    uint64_t low;
    uint64_t high;
    std::vector<uint64_t> places;  // positions in the wanted indices
  };
  static std::vector<Run> runs_of(const std::vector<uint64_t>& wanted) {
    constexpr uint64_t kWidestGap = 4;  // indices that are read but not needed
    std::vector<uint64_t> order(wanted.size());
    std::iota(order.begin(), order.end(), uint64_t{0});
    if (!std::is_sorted(wanted.begin(), wanted.end()))
      std::sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) { return wanted[a] < wanted[b]; });
    std::vector<Run> runs;
    for (const uint64_t place : order) {
      const uint64_t index = wanted[place];
      if (runs.empty() || index - runs.back().high > kWidestGap) runs.push_back({index, index, {}});
      runs.back().high = index;
      runs.back().places.push_back(place);
    }
    return runs;
  }

  const ArrayPtr values_;
  const size_t axis_;
  const Indices indices_;
};

class GatheredArray : public Array {
 public:
  GatheredArray(ArrayPtr values, const Stretches& stretches)
      : Array(values->dtype(), {sum_of(*stretches)}), values_(std::move(values)), stretches_(stretches) {
    ends_.reserve(stretches_->size());
    uint64_t end = 0;
    for (const Stretch& stretch : *stretches_) ends_.push_back(end += stretch.count);
  }

  Shape chunk_shape() const override {
    const double share =
        values_->count() == 0 ? 1 : static_cast<double>(count()) / static_cast<double>(values_->count());
    const double own = static_cast<double>(values_->chunk_shape()[0]) * share;
    return {std::clamp<uint64_t>(static_cast<uint64_t>(own), 1, std::max<uint64_t>(1, count()))};
  }
  void check() const override { values_->check(); }
  bool may_be_missing() const override { return values_->may_be_missing(); }
  Elements read(const Box& box) const override { return read_by(&Array::read, box); }
  Elements peek(const Box& box) const override { return read_by(&Array::peek, box); }
  void release(const Box& box) const override {
    const std::vector<Stretch> parts = parts_of(box);
    if (parts.empty()) return;
    const uint64_t first = parts.front().from, after = box.origin[0] + box.extent[0];
    uint64_t end = parts.back().from + parts.back().count;
    // Elements before the next stretch are not needed either.
    const auto next = std::lower_bound(ends_.begin(), ends_.end(), after);
    if (next != ends_.end() && *next == after && next + 1 != ends_.end())
      end = std::max(end, (*stretches_)[static_cast<size_t>(next + 1 - ends_.begin())].from);
    if (first < end) values_->release(range(first, end - first));
  }

 private:
  static uint64_t sum_of(const std::vector<Stretch>& stretches) {
    uint64_t sum = 0;
    for (const Stretch& stretch : stretches) sum = checked_add(sum, stretch.count);
    return sum;
  }

  // Returns the parts of the stretches that lie in `box`.
  std::vector<Stretch> parts_of(const Box& box) const {
    check_inside(box, shape());
    std::vector<Stretch> parts;
    const uint64_t first = box.origin[0], end = first + box.extent[0];
    auto number = static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), first) - ends_.begin());
    for (uint64_t at = first; at < end; ++number) {
      const Stretch& stretch = (*stretches_)[number];
      const uint64_t left = ends_[number] - at, some = std::min(left, end - at);
      if (some > 0) parts.push_back({stretch.from + (stretch.count - left), some});
      at += some;
    }
    return parts;
  }

  Elements read_by(Elements (Array::*part)(const Box&) const, const Box& box) const {
    constexpr uint64_t kWidestGap = 2048;   // elements that are read but not needed
    constexpr uint64_t kLongest = 1 << 16;  // gaps included, unless it is one stretch
    const std::vector<Stretch> parts = parts_of(box);
    Elements all = zero_elements(dtype(), 0);
    for (size_t i = 0; i < parts.size();) {
      const uint64_t begin = parts[i].from;
      uint64_t end = begin + parts[i].count;
      size_t after = i + 1;
      const auto is_close = [&](const Stretch& next) {
        return next.from >= end && next.from - end <= kWidestGap &&
               next.from + next.count - begin <= kLongest;
      };
      for (; after < parts.size() && is_close(parts[after]); ++after)
        end = parts[after].from + parts[after].count;
      Elements some = ((*values_).*part)(range(begin, end - begin));
      if (parts.size() == 1) return some;
      for (; i < after; ++i) append(dtype(), all, some, parts[i].from - begin, parts[i].count);
    }
    return all;
  }

  const ArrayPtr values_;
  const Stretches stretches_;
  std::vector<uint64_t> ends_;  // of each stretch, in this list
};

// The given indices of an axis of reals, of which some are absent and NaN.
class ReindexedArray : public Array {
 public:
  ReindexedArray(const ArrayPtr& values, size_t axis, const std::vector<uint64_t>& indices)
      : Array(values->dtype(), shape_of(*values, axis, indices.size())), axis_(axis) {
    const auto present = std::make_shared<std::vector<uint64_t>>();
    for (uint64_t i = 0; i < indices.size(); ++i) {
      if (indices[i] == kNoIndex) continue;
      present->push_back(indices[i]);
      places_.push_back(i);
    }
    present_ = subset(values, axis, present);
  }

  Shape chunk_shape() const override {
    Shape chunk = present_->chunk_shape();
    for (size_t d = 0; d < chunk.size(); ++d)
      chunk[d] = std::max<uint64_t>(1, std::min(chunk[d], shape()[d]));
    return chunk;
  }
  void check() const override { present_->check(); }
  bool may_be_missing() const override { return present_->may_be_missing(); }

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    const uint64_t along = box.extent[axis_], from = box.origin[axis_];
    const auto [outer, inner] = split_at(box.extent, axis_);
    const auto first = std::lower_bound(places_.begin(), places_.end(), from);
    const auto last = std::lower_bound(first, places_.end(), from + along);
    Elements all = repeated_element(dtype(), not_a_number_of(dtype()), element_count(box.extent));
    if (first == last) return all;
    Box stored = box;
    stored.origin[axis_] = static_cast<uint64_t>(first - places_.begin());
    stored.extent[axis_] = static_cast<uint64_t>(last - first);
    const Elements some = present_->read(stored);
    if (!some.missing.empty()) all.missing.resize(all.count);
    const size_t size = dtype().size;
    uint64_t at = 0;
    for (uint64_t o = 0; o < outer; ++o)
      for (auto place = first; place != last; ++place, at += inner) {
        const uint64_t to = (o * along + (*place - from)) * inner;
        std::memcpy(all.bytes.data() + to * size, some.bytes.data() + at * size, inner * size);
        for (uint64_t i = 0; i < inner && !some.missing.empty(); ++i)
          all.missing[to + i] = some.missing[at + i];
      }
    return all;
  }

 private:
  static Shape shape_of(const Array& values, size_t axis, uint64_t extent) {
    Shape shape = values.shape();
    shape[axis] = extent;
    return shape;
  }

  const size_t axis_;
  ArrayPtr present_;
  std::vector<uint64_t> places_;  // of its indices, ascending
};

class CombinedArray : public Array {
 public:
  CombinedArray(std::vector<ArrayPtr> parts, size_t axis)
      : Array(parts.front()->dtype(), shape_of(parts, axis)), parts_(std::move(parts)), axis_(axis) {}

  Shape chunk_shape() const override {
    Shape chunk = parts_.front()->chunk_shape();
    for (const ArrayPtr& part : parts_) {
      const Shape own = part->chunk_shape();
      for (size_t axis = 0; axis < chunk.size(); ++axis) chunk[axis] = std::max(chunk[axis], own[axis]);
    }
    return chunk;
  }
  void check() const override {
    for (const ArrayPtr& part : parts_) part->check();
  }
  bool may_be_missing() const override {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const ArrayPtr& part) { return part->may_be_missing(); });
  }
  bool is_nullable() const override {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const ArrayPtr& part) { return part->is_nullable(); });
  }
  Elements read(const Box& box) const override { return read_by(&Array::read, box); }
  Elements peek(const Box& box) const override { return read_by(&Array::peek, box); }
  void release(const Box& box) const override {
    for_each_part(box, [](const Array& part, const Box& stored) { part.release(stored); });
  }

 private:
  Elements read_by(Elements (Array::*part_of)(const Box&) const, const Box& box) const {
    const auto [outer, inner] = split_at(box.extent, axis_);
    struct Stretch {
      uint64_t begin;  // in `all`
      uint64_t width;  // elements per outer index
    };
    std::vector<Stretch> pieces;
    Elements all;
    for_each_part(box, [&, width = inner](const Array& part, const Box& stored) {
      Elements some = (part.*part_of)(stored);
      pieces.push_back({all.count, stored.extent[axis_] * width});
      if (all.count == 0 && some.count == element_count(box.extent))
        all = std::move(some);
      else
        append(dtype(), all, some, 0, some.count);
    });
    if (pieces.empty()) return zero_elements(dtype(), element_count(box.extent));
    if (pieces.size() == 1 || outer == 1) return all;
    std::vector<uint64_t> positions;
    positions.reserve(element_count(box.extent));
    for (uint64_t o = 0; o < outer; ++o)
      for (const Stretch& piece : pieces)
        for (uint64_t i = 0; i < piece.width; ++i) positions.push_back(piece.begin + o * piece.width + i);
    return gather(dtype(), all, positions);
  }

  // Calls visit(part, box in it) for each part that has some of the box.
  template <class Visit>
  void for_each_part(const Box& box, Visit&& visit) const {
    check_inside(box, shape());
    uint64_t before = 0;
    const uint64_t first = box.origin[axis_], end = first + box.extent[axis_];
    for (const ArrayPtr& part : parts_) {
      const uint64_t extent = part->shape()[axis_];
      const uint64_t from = std::max(first, before), to = std::min(end, before + extent);
      if (from < to) {
        Box stored = box;
        stored.origin[axis_] = from - before;
        stored.extent[axis_] = to - from;
        visit(*part, stored);
      }
      before += extent;
    }
  }

  static Shape shape_of(const std::vector<ArrayPtr>& parts, size_t axis) {
    Shape shape = parts.front()->shape();
    for (size_t i = 1; i < parts.size(); ++i) shape[axis] = checked_add(shape[axis], parts[i]->shape()[axis]);
    return shape;
  }

  const std::vector<ArrayPtr> parts_;
  const size_t axis_;
};

}  // namespace

Elements not_a_number_of(const DType& type) {
  Elements one = zero_elements(type, 1);
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>)
      one.mutable_values<T>()[0] = std::numeric_limits<T>::quiet_NaN();
    else if constexpr (std::is_same_v<T, Half>)
      one.mutable_values<T>()[0] = to_half(std::numeric_limits<float>::quiet_NaN());
  });
  return one;
}

Elements gather(const DType& type, const Elements& elements, const std::vector<uint64_t>& positions) {
  Elements result;
  if (layout_of(type) == Layout::flat) {
    const size_t size = elements.count == 0 ? 0 : elements.bytes.size() / elements.count;
    result.count = positions.size();
    result.bytes.resize(checked_size(positions.size(), size));
    for (size_t i = 0; i < positions.size(); ++i)
      std::memcpy(result.bytes.data() + i * size, elements.bytes.data() + positions[i] * size, size);
    if (!elements.missing.empty())
      for (const uint64_t position : positions) result.missing.push_back(elements.missing[position]);
    return result;
  }
  if (positions.empty()) return zero_elements(type, 0);
  for (const uint64_t position : positions) append(type, result, elements, position, 1);
  return result;
}

ArrayPtr permuted(ArrayPtr values, std::vector<size_t> axes) {
  return std::make_shared<PermutedArray>(std::move(values), std::move(axes));
}

ArrayPtr subset(ArrayPtr values, size_t axis, Indices indices) {
  return std::make_shared<SubsetArray>(std::move(values), axis, std::move(indices));
}

ArrayPtr reindexed(const ArrayPtr& values, size_t axis, const std::vector<uint64_t>& indices) {
  return std::make_shared<ReindexedArray>(values, axis, indices);
}

ArrayPtr gathered(ArrayPtr values, const Stretches& stretches) {
  return std::make_shared<GatheredArray>(std::move(values), stretches);
}

ArrayPtr combined(std::vector<ArrayPtr> parts, size_t axis) {
  return std::make_shared<CombinedArray>(std::move(parts), axis);
}

}  // namespace plainfs
