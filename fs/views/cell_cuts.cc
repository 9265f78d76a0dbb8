#include "fs/views/cell_cuts.h"

#include <algorithm>

#include "fs/text/array_runs.h"
#include "fs/text/field_text.h"

namespace plainfs {

namespace {

constexpr uint64_t kListWidth = 3;  // "[],"
constexpr uint64_t kIdWidth = 8;

uint64_t added(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}
uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t json_width_of(const DType& type, uint64_t own_width) {
  if (type.kind != Kind::compound) return own_width;
  uint64_t width = 2;
  for (const Field& field : type.fields)
    width += field.name.size() + 6 + json_width_of(field.type, typical_width(field.type));
  return width;
}

class Cutter {
 public:
  Cutter(std::vector<CutColumn> columns, uint64_t block_text)
      : columns_(std::move(columns)), block_text_(block_text) {}

  std::vector<CellPlace> cut(uint64_t rows) {
    for (place_.row = 0; place_.row < rows; ++place_.row) {
      place_.column = 0;
      if (place_.row == 0 || text_ >= block_text_) begin_block();
      text_ = added(text_, kIdWidth);
      for (size_t i = 0; i < columns_.size(); ++i) {
        place_.column = i;
        add_list(columns_[i], 0, place_.row);
      }
    }
    return std::move(starts_);
  }

 private:
  void begin_block() {
    starts_.push_back(place_);
    text_ = 0;
  }

  // Characters of a list with all that is in it.
  uint64_t width_of(CutColumn& column, size_t level, uint64_t list) {
    NestedCells& cells = column.cells;
    uint64_t width = kListWidth;
    Span lists{list, list + 1};
    for (; level < cells.levels(); ++level) {
      lists = cells.all_children(level, lists);
      const uint64_t each = level + 1 < cells.levels() ? kListWidth : column.leaf_width;
      width = added(width, times(lists.size(), each));
    }
    return cells.levels() == 0 ? column.leaf_width : width;
  }

  // One list, a row's cell at level 0; cut in it where it is more than a block.
  void add_list(CutColumn& column, size_t level, uint64_t list) {
    const uint64_t width = width_of(column, level, list);
    if (level == column.cells.levels() || added(text_, width) <= 2 * block_text_) {
      text_ = added(text_, width);
      return;
    }
    const Span children = column.cells.children(level, list);
    const bool are_leaves = level + 1 == column.cells.levels();
    const size_t depth = place_.path.size();
    place_.path.push_back(children.begin);
    while (place_.path[depth] < children.end) {
      if (text_ >= block_text_) begin_block();
      place_.path[depth] += are_leaves ? add_leaves(column, children.end - place_.path[depth])
                                       : add_child(column, level + 1, place_.path[depth]);
    }
    place_.path.pop_back();
  }

  // As many leaves as the block has room for, of those that are left.
  uint64_t add_leaves(const CutColumn& column, uint64_t left) {
    const uint64_t room = std::max<uint64_t>(1, (block_text_ - text_) / column.leaf_width);
    const uint64_t taken = std::min(room, left);
    text_ = added(text_, times(taken, column.leaf_width));
    return taken;
  }

  uint64_t add_child(CutColumn& column, size_t level, uint64_t list) {
    add_list(column, level, list);
    return 1;
  }

  std::vector<CutColumn> columns_;
  const uint64_t block_text_;
  uint64_t text_ = 0;  // in the block so far
  CellPlace place_;
  std::vector<CellPlace> starts_;
};

}  // namespace

uint64_t json_width(const Array& values) {
  return json_width_of(values.dtype(), sampled_width(values)) + 1;
}

std::vector<CellPlace> cut_cells(uint64_t rows, std::vector<CutColumn> columns, uint64_t block_text) {
  return Cutter(std::move(columns), block_text).cut(rows);
}

}  // namespace plainfs
