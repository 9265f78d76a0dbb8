#include "fs/serve/h5_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/model/derived_array.h"
#include "formats/core/text/printable.h"

namespace plainfs::serve {
namespace {

// Of one axis.
struct Chosen {
  uint64_t first = 0;
  uint64_t count = 0;
  bool stays = true;  // as an axis of what is selected
};

class SelectedArray final : public DerivedArray {
 public:
  SelectedArray(const ArrayPtr& array, std::vector<Chosen> axes)
      : DerivedArray(array, array->dtype(), shape_of(axes), false), axes_(std::move(axes)) {}

  Shape chunk_shape() const override {
    const Shape stored = values().chunk_shape();
    Shape chunk;
    for (size_t i = 0; i < axes_.size(); ++i)
      if (axes_[i].stays) chunk.push_back(std::max<uint64_t>(1, std::min(stored[i], axes_[i].count)));
    return chunk;
  }
  bool may_be_missing() const override { return values().may_be_missing(); }

 private:
  static Shape shape_of(const std::vector<Chosen>& axes) {
    Shape shape;
    for (const Chosen& axis : axes)
      if (axis.stays) shape.push_back(axis.count);
    return shape;
  }
  Box stored_box(const Box& box) const override {
    check_inside(box, shape());
    Box stored;
    size_t own = 0;
    for (const Chosen& axis : axes_) {
      stored.origin.push_back(axis.first + (axis.stays ? box.origin[own] : 0));
      stored.extent.push_back(axis.stays ? box.extent[own] : 1);
      if (axis.stays) ++own;
    }
    return stored;
  }

  const std::vector<Chosen> axes_;
};

WrongQuestion no_selection(std::string_view text) {
  return {fmt::format("{} is not a valid slice", printable(text))};
}

int64_t slice_number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) throw no_selection(text);
  return number;
}

// An end of a slice, cut to the axis.
uint64_t end_of(std::string_view text, uint64_t length, uint64_t left_out) {
  if (text.find_first_not_of(' ') == std::string_view::npos) return left_out;
  const int64_t number = slice_number(text);
  if (number >= 0) return std::min(static_cast<uint64_t>(number), length);
  const uint64_t back = ~static_cast<uint64_t>(number) + 1;
  return back > length ? 0 : length - back;
}

Chosen chosen(std::string_view text, uint64_t length) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    const int64_t number = slice_number(text);
    const uint64_t back = number < 0 ? ~static_cast<uint64_t>(number) + 1 : 0;
    const uint64_t at = number < 0 ? (back > length ? length : length - back) : static_cast<uint64_t>(number);
    if (at >= length)
      throw WrongQuestion{fmt::format("index {} is out of range for an axis of {}", number, length)};
    return {at, 1, false};
  }
  std::string_view stop = text.substr(colon + 1);
  if (const size_t second = stop.find(':'); second != std::string_view::npos) {
    const std::string_view step = stop.substr(second + 1);
    if (step.find_first_not_of(' ') != std::string_view::npos && slice_number(step) != 1)
      throw WrongQuestion{fmt::format("{} has a step, and only 1 is answered", printable(text))};
    stop = stop.substr(0, second);
  }
  const uint64_t first = end_of(text.substr(0, colon), length, 0);
  const uint64_t end = std::max(first, end_of(stop, length, length));
  return {first, end - first, true};
}

}  // namespace

ArrayPtr selected(const ArrayPtr& array, const std::optional<std::string>& selection) {
  const Shape& shape = array->shape();
  std::vector<Chosen> axes;
  for (const uint64_t length : shape) axes.push_back({0, length, true});
  if (selection) {
    std::string_view left = *selection;
    for (size_t axis = 0;; ++axis) {
      const size_t end = std::min(left.find(','), left.size());
      if (axis >= shape.size())
        throw WrongQuestion{fmt::format("{} has too many members to slice a {}D dataset",
                                        printable(*selection), shape.size())};
      axes[axis] = chosen(left.substr(0, end), shape[axis]);
      if (end == left.size()) break;
      left.remove_prefix(end + 1);
    }
  }
  return std::make_shared<SelectedArray>(array, std::move(axes));
}

}  // namespace plainfs::serve
