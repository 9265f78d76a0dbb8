#include "fs/views/cell_cuts.h"

#include <algorithm>

#include "formats/core/base/checked.h"
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
      : columns_(std::move(columns)), block_text_(block_text) {
    for (CutColumn& column : columns_)
      steps_.push_back(
          step_along_chunks(column.cells.values(), std::max<uint64_t>(1, block_text / column.leaf_width)));
  }

  std::vector<CellPlace> cut(uint64_t rows) {
    for (place_.row = 0; place_.row < rows; ++place_.row) {
      place_.column = 0;
      if (place_.row == 0 || text_ >= block_text_) begin_block();
      text_ = added(text_, kIdWidth);
      for (size_t i = 0; i < columns_.size(); ++i) {
        place_.column = i;
        add_list(i, 0, place_.row);
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
  void add_list(size_t number, size_t level, uint64_t list) {
    CutColumn& column = columns_[number];
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
      // A step of leaves may be a whole block.
      if (text_ >= (are_leaves ? block_text_ / 2 : block_text_)) begin_block();
      place_.path[depth] += are_leaves ? add_leaves(number, place_.path[depth], children.end)
                                       : add_child(number, level + 1, place_.path[depth]);
    }
    place_.path.pop_back();
  }

  // Leaves up to the end of the step in which the first is.
  uint64_t add_leaves(size_t number, uint64_t first, uint64_t end) {
    const uint64_t taken = std::min(steps_[number] - first % steps_[number], end - first);
    text_ = added(text_, times(taken, columns_[number].leaf_width));
    return taken;
  }

  uint64_t add_child(size_t number, size_t level, uint64_t list) {
    add_list(number, level, list);
    return 1;
  }

  std::vector<CutColumn> columns_;
  std::vector<uint64_t> steps_;  // leaves, a column
  const uint64_t block_text_;
  uint64_t text_ = 0;  // in the block so far
  CellPlace place_;
  std::vector<CellPlace> starts_;
};

}  // namespace

uint64_t step_along_chunks(const Array& values, uint64_t wanted) {
  constexpr uint64_t kMostPieces = 1024;  // of a chunk; in a larger one the steps are seldom at its end
  const uint64_t chunk = elements_in_band(values.shape(), values.chunk_shape());
  if (chunk <= wanted) return wanted / chunk * chunk;
  const uint64_t least = divide_up(chunk, added(wanted, wanted / 4));
  if (least > kMostPieces) return wanted;
  for (uint64_t pieces = least; pieces <= least + least / 2 + 1; ++pieces)
    if (chunk % pieces == 0) return chunk / pieces;
  return wanted;
}

uint64_t json_width(const Array& values) {
  return json_width_of(values.dtype(), sampled_width(values)) + 1;
}

std::vector<CellPlace> cut_cells(uint64_t rows, std::vector<CutColumn> columns, uint64_t block_text) {
  return Cutter(std::move(columns), block_text).cut(rows);
}

}  // namespace plainfs
