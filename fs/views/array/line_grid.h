// The division of an array's elements into units, which are read at once, and of units into blocks of text.
// Elements are counted as users see them: row by row over all axes but the last; the last axis runs along the
// line. A column-major array is stored in another order, so its units span many lines and are transposed
// once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

class LineGrid {
 public:
  // A part of the array: consecutive elements in users' order.
  struct Block {
    uint64_t unit;
    uint64_t first_in_unit;  // element within the unit
    uint64_t count;          // elements, or lines if they are empty
    uint64_t line;           // of the first element
    uint64_t column;         // of the first element in its line
  };

  // element_text: approximate characters of text per element. Throws damaged if the number of lines exceeds
  // 64 bits. Uses `context` only for the cache's budget.
  LineGrid(const Array& array, uint64_t element_text, const Context& context);

  uint64_t lines() const { return lines_; }
  uint64_t width() const { return width_; }  // elements per line
  uint64_t block_count() const { return block_count_; }
  // Returns a number that differs for each division of an array.
  uint64_t number() const { return unit_elements_ * 0x9e3779b97f4a7c15u ^ block_elements_; }
  Block block(uint64_t number) const;
  // Returns whether units hold several blocks and are therefore worth caching.
  bool units_are_shared() const { return unit_elements_ > block_elements_; }
  // Returns the box of a unit in the array, in stored axes.
  Box unit_box(uint64_t unit) const;
  // Returns the elements of a unit in users' order. Throws whatever Array::read throws.
  Elements read_unit(const Array& array, uint64_t unit) const;

 private:
  struct Unit {
    Shape origin;  // in users' axes, like extent
    Shape extent;
    uint64_t first;  // elements before it
    uint64_t count;
  };
  void choose_units(const Array& array, uint64_t element_text, const Shape& chunk, const Context& context);
  Unit unit(uint64_t number) const;

  size_t rank_;
  bool column_major_;
  Shape shape_;  // in users' order, at least two axes
  uint64_t lines_ = 0;
  uint64_t width_ = 0;
  // A unit is a range of unit_axis_, with one index of each axis before it and all indices of the axes after
  // it.
  size_t unit_axis_ = 0;
  uint64_t unit_length_ = 1;  // along that axis; the last unit may be shorter
  uint64_t units_along_ = 1;
  uint64_t unit_elements_ = 1;
  uint64_t block_elements_ = 1;  // lines if width_ is 0
  uint64_t blocks_in_unit_ = 1;
  uint64_t blocks_in_last_unit_ = 1;
  uint64_t block_count_ = 0;
};

// The elements of an array, unit by unit, for views that format it in blocks of text. Units shared by several
// blocks are cached, and so are the results about absent chunks.

// A reader of the units of an array. Thread-safe.
class GridUnits {
 public:
  // element_text: approximate characters of text per element. Reads a few elements if their text varies in
  // length. Throws whatever the constructor of LineGrid throws.
  GridUnits(ArrayPtr array, uint64_t element_text, Context& context);
  ~GridUnits();
  GridUnits(const GridUnits&) = delete;
  GridUnits& operator=(const GridUnits&) = delete;

  const LineGrid& grid() const { return grid_; }
  // Returns the elements of the unit in users' order. Throws whatever Array::read throws.
  std::shared_ptr<const Elements> read(uint64_t unit) const;
  // Returns the element that all elements of the unit are equal to, if that is known without reading them.
  std::optional<Elements> repeated(uint64_t unit) const;
  // Returns whether the unit's text should be kept when it is measured (TextSource::should_cache). Units
  // of equal elements gain nothing, and large units need the cache for themselves.
  bool should_cache(uint64_t unit) const;

 private:
  const ArrayPtr array_;
  Context& context_;
  const LineGrid grid_;
  const uint64_t units_owner_;     // in the cache
  const uint64_t repeated_owner_;  // of the results about absent chunks
};

}  // namespace plainfs
