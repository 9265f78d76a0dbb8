#include "formats/core/cf/long_table.h"

#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/arrays/generated_array.h"

namespace plainfs {
namespace {

// The elements of a box of an array in C order, as a list.
class BoxedValues : public Array {
 public:
  BoxedValues(ArrayPtr values, Box box)
      : Array(values->dtype(), {element_count(box.extent)}),
        values_(std::move(values)),
        box_(std::move(box)) {}

  Elements read(const Box& wanted) const override { return put_together(wanted, &Array::read); }
  Elements peek(const Box& wanted) const override { return put_together(wanted, &Array::peek); }
  void release(const Box& wanted) const override {
    for_each_box(wanted, [&](const Box& part) { values_->release(part); });
  }
  void check() const override { values_->check(); }
  bool may_be_missing() const override { return values_->may_be_missing(); }
  Shape chunk_shape() const override {
    Shape chunk = values_->chunk_shape();
    for (size_t axis = 0; axis < chunk.size(); ++axis) chunk[axis] = std::min(chunk[axis], box_.extent[axis]);
    return {std::clamp<uint64_t>(elements_in_band(box_.extent, chunk), 1, std::max<uint64_t>(shape()[0], 1))};
  }

 private:
  template <class Visit>
  void for_each_box(const Box& wanted, Visit&& visit) const {
    for (uint64_t done = 0; done < wanted.extent[0];) {
      Box part = box_at(box_.extent, wanted.origin[0] + done, wanted.extent[0] - done);
      done += element_count(part.extent);
      for (size_t axis = 0; axis < part.origin.size(); ++axis) part.origin[axis] += box_.origin[axis];
      visit(part);
    }
  }

  Elements put_together(const Box& wanted, Elements (Array::*method)(const Box&) const) const {
    check_inside(wanted, shape());
    Elements all = zero_elements(dtype(), 0);
    for_each_box(wanted, [&](const Box& part) {
      Elements some = (values_.get()->*method)(part);
      if (all.count == 0)
        all = std::move(some);
      else
        append(dtype(), all, some, 0, some.count);
    });
    return all;
  }

  const ArrayPtr values_;
  const Box box_;
};

// The labels along one axis of a box. Each is repeated for all elements of the axes behind it, and the whole
// sequence for each index of the axes before it.
class AxisLabels : public Array {
 public:
  // labels: of the whole axis. inner: the number of elements per index of the axis.
  AxisLabels(ArrayPtr labels, uint64_t first, uint64_t length, uint64_t inner, uint64_t count)
      : Array(labels->dtype(), {count}),
        labels_(std::move(labels)),
        first_(first),
        length_(length),
        inner_(inner) {}

  Elements read(const Box& wanted) const override {
    check_inside(wanted, shape());
    const uint64_t begin = wanted.origin[0], count = wanted.extent[0];
    if (count == 0) return zero_elements(dtype(), 0);
    // The range of indices without a wrap-around, or all of them.
    const uint64_t from = begin / inner_, to = (begin + count - 1) / inner_;
    const bool turns = from / length_ != to / length_;
    const uint64_t least = turns ? 0 : from % length_, most = turns ? length_ - 1 : to % length_;
    const Elements some = labels_->read(range(first_ + least, most - least + 1));
    std::vector<uint64_t> positions(count);
    uint64_t index = from % length_ - least, left = inner_ - begin % inner_;
    for (uint64_t& position : positions) {
      position = index;
      if (--left > 0) continue;
      left = inner_;
      index = least + index + 1 == length_ ? 0 : index + 1;
    }
    return gather(dtype(), some, positions);
  }
  void check() const override { labels_->check(); }
  bool may_be_missing() const override { return labels_->may_be_missing(); }
  // If each label occurs, the column has the values of the labels, which are much fewer.
  const Array& whole_column() const override {
    const bool has_all = shape()[0] > 0 && first_ == 0 && length_ == labels_->count();
    return has_all ? labels_->whole_column() : *this;
  }

 private:
  const ArrayPtr labels_;
  const uint64_t first_, length_, inner_;
};

}  // namespace

Table long_table(const CfDataset& dataset, const CfVariable& variable, Box box,
                 const std::vector<Indices>& chosen) {
  ArrayPtr values = variable.decoded;
  for (size_t axis = 0; axis < chosen.size(); ++axis) {
    if (!chosen[axis]) continue;
    box.origin[axis] = 0;
    box.extent[axis] = chosen[axis]->size();
    values = subset(std::move(values), axis, chosen[axis]);
  }
  Table table;
  table.rows = element_count(box.extent);
  uint64_t inner = table.rows;
  const Shape& shape = variable.decoded->shape();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const uint64_t length = std::max<uint64_t>(box.extent[axis], 1);
    inner = std::max<uint64_t>(inner / length, 1);
    const CfVariable* const coordinate = dataset.coordinate(variable.dimensions[axis], shape[axis]);
    ArrayPtr labels = coordinate ? coordinate->decoded : counting(shape[axis]);
    if (axis < chosen.size() && chosen[axis]) labels = subset(std::move(labels), 0, chosen[axis]);
    table.columns.push_back(
        {variable.dimensions[axis],
         std::make_shared<AxisLabels>(std::move(labels), box.origin[axis], length, inner, table.rows)});
  }
  table.columns.push_back({variable.name, std::make_shared<BoxedValues>(std::move(values), std::move(box))});
  return table;
}

}  // namespace plainfs
