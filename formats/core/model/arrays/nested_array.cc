#include "formats/core/model/arrays/nested_array.h"

#include <algorithm>
#include <string>

#include "formats/core/base/checked.h"
#include "formats/core/model/elements/element_text.h"

namespace plainfs {
namespace {

constexpr uint64_t kMaxLeaves = uint64_t{1} << 20;  // of all cells
constexpr uint64_t kLeavesAtOnce = 16 * 1024;

struct Run {
  uint64_t begin = 0;
  uint64_t end = 0;
};

uint64_t integer_at(const Array& array, uint64_t i) {
  const Elements one = array.read(range(i, 1));
  return visit_number(array.dtype(), [&](auto zero) -> uint64_t {
    const auto value = one.values<decltype(zero)>()[0];
    if constexpr (std::is_integral_v<decltype(zero)>)
      if (value >= 0) return static_cast<uint64_t>(value);
    throw damaged("an index is not a count");
  });
}

// Returns the range of a list, from its index, among `divided` items.
Run part_of(const Array& ends, uint64_t list, uint64_t divided) {
  const Run run{list == 0 ? 0 : integer_at(ends, list - 1), integer_at(ends, list)};
  if (run.begin > run.end || run.end > divided)
    throw damaged("index {} is {} after {}, but there are {} items", list, run.end, run.begin, divided);
  return run;
}

class CellWriter {
 public:
  explicit CellWriter(const RowElements& elements) : elements_(elements), shape_(elements.values->shape()) {}

  void write(size_t level, uint64_t list, std::string& out) {
    if (level == elements_.ends.size()) return write_elements({list, list + 1}, out);
    const bool is_last = level + 1 == elements_.ends.size();
    const Run run =
        part_of(*elements_.ends[level], list, is_last ? shape_[0] : elements_.ends[level + 1]->count());
    out += '[';
    if (is_last) {
      write_elements(run, out);
    } else {
      for (uint64_t i = run.begin; i < run.end; ++i) {
        if (i > run.begin) out += ',';
        write(level + 1, i, out);
      }
    }
    out += ']';
  }

 private:
  // Writes elements of values with all their axes.
  void write_elements(Run run, std::string& out) {
    Box box{Shape(shape_.size()), shape_};
    box.extent[0] = 1;
    const uint64_t at_once =
        std::max<uint64_t>(1, kLeavesAtOnce / std::max<uint64_t>(1, element_count(box.extent)));
    for (uint64_t first = run.begin; first < run.end; first += box.extent[0]) {
      box.origin[0] = first;
      box.extent[0] = std::min(at_once, run.end - first);
      const Elements elements = elements_.values->read(box);
      uint64_t leaf = 0;
      for (uint64_t i = 0; i < box.extent[0]; ++i) {
        if (first + i > run.begin) out += ',';
        write_axes(elements, 1, leaf, out);
      }
    }
  }

  void write_axes(const Elements& elements, size_t axis, uint64_t& leaf, std::string& out) {
    if (axis == shape_.size()) return append_json(elements_.values->dtype(), elements, leaf++, out);
    out += '[';
    for (uint64_t i = 0; i < shape_[axis]; ++i) {
      if (i > 0) out += ',';
      write_axes(elements, axis + 1, leaf, out);
    }
    out += ']';
  }

  const RowElements& elements_;
  const Shape& shape_;
};

}  // namespace

uint64_t row_count(const RowElements& elements) {
  return elements.ends.empty() ? elements.values->shape()[0] : elements.ends.front()->count();
}

Elements NestedArray::read(const Box& box) const {
  CellWriter writer(elements_);
  TextBuilder cells(box.extent[0]);
  std::string cell;
  for (uint64_t i = 0; i < box.extent[0]; ++i) {
    cell.clear();
    writer.write(0, box.origin[0] + i, cell);
    cells.add(cell);
  }
  return cells.finish();
}

bool NestedArray::can_be_held() const {
  uint64_t leaves = 1;
  for (const uint64_t length : elements_.values->shape())
    if (__builtin_mul_overflow(leaves, length, &leaves)) return false;
  return leaves <= kMaxLeaves;
}

void NestedArray::check() const {
  elements_.values->check();
  if (elements_.values->count() > kMaxLeaves)
    throw unsupported("cells of {} values together are too large", elements_.values->count());
  for (const ArrayPtr& ends : elements_.ends) ends->check();
}

}  // namespace plainfs
