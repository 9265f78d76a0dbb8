// How the elements of an array are cut into units, which are read in one go, and blocks of text within them.
// Elements are counted as users see them: row by row over all axes but the last, the last axis along the
// line. For a column-major array that is not the order in which they are stored, so a unit there spans many
// lines and is turned round once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

class LineGrid {
 public:
  // A part of the array: elements that follow each other for users.
  struct Block {
    uint64_t unit;
    uint64_t first_in_unit;  // element within the unit
    uint64_t count;          // elements; of empty lines their number
    uint64_t line;           // of the first element
    uint64_t column;         // of the first element along its line
  };

  // element_text: about how many characters of text an element makes. Throws damaged where the number of
  // lines is over 64 bits. context is only asked for the cache's budget.
  LineGrid(const Array& array, uint64_t element_text, const Context& context);

  uint64_t lines() const { return lines_; }
  uint64_t width() const { return width_; }  // elements a line
  uint64_t block_count() const { return block_count_; }
  // Another one for each division of one array.
  uint64_t number() const { return unit_elements_ * 0x9e3779b97f4a7c15u ^ block_elements_; }
  Block block(uint64_t number) const;
  // Whether units hold several blocks, so that they are worth keeping.
  bool units_are_shared() const { return unit_elements_ > block_elements_; }
  // Where a unit lies in the array, in the axes as stored.
  Box unit_box(uint64_t unit) const;
  // The elements of a unit in users' order. Throws what Array::read throws.
  Elements read_unit(const Array& array, uint64_t unit) const;

 private:
  struct Unit {
    Shape origin;  // in users' axes, as extent
    Shape extent;
    uint64_t first;  // elements before it
    uint64_t count;
  };
  void choose_units(const Array& array, uint64_t element_text, const Shape& chunk, const Context& context);
  Unit unit(uint64_t number) const;

  size_t rank_;
  bool column_major_;
  Shape shape_;  // as users see it, at least two axes
  uint64_t lines_ = 0;
  uint64_t width_ = 0;
  // A unit is a range of unit_axis_, with one index of each axis before and all of those after.
  size_t unit_axis_ = 0;
  uint64_t unit_length_ = 1;  // along that axis; the last unit may have less
  uint64_t units_along_ = 1;
  uint64_t unit_elements_ = 1;
  uint64_t block_elements_ = 1;  // empty lines where width_ is 0
  uint64_t blocks_in_unit_ = 1;
  uint64_t blocks_in_last_unit_ = 1;
  uint64_t block_count_ = 0;
};

// The elements of an array unit by unit (line_grid.h), for views that go through it in blocks of text. Units
// that several blocks share are kept in the cache, and so is what is known of their absent chunks.

// Thread-safe.
class GridUnits {
 public:
  // element_text: about how many characters of text an element makes. Reads a few elements of an array whose
  // text varies in length. Throws what LineGrid's constructor throws.
  GridUnits(ArrayPtr array, uint64_t element_text, Context& context);
  ~GridUnits();
  GridUnits(const GridUnits&) = delete;
  GridUnits& operator=(const GridUnits&) = delete;

  const LineGrid& grid() const { return grid_; }
  // Of the unit, in users' order. Throws what Array::read throws.
  std::shared_ptr<const Elements> read(uint64_t unit) const;
  // The one element that all of the unit are equal to, where that is known without making them.
  std::optional<Elements> repeated(uint64_t unit) const;
  // Whether the unit's text may be kept when it is measured (TextSource::is_worth_keeping): where all
  // elements are equal there is nothing to gain, and large units need the cache for themselves.
  bool is_worth_keeping(uint64_t unit) const;

 private:
  const ArrayPtr array_;
  Context& context_;
  const LineGrid grid_;
  const uint64_t units_owner_;     // in the cache
  const uint64_t repeated_owner_;  // of what is known of absent chunks
};

}  // namespace plainfs
