// The elements of an array unit by unit (line_grid.h), for views that go through it in blocks of text. Units
// that several blocks share are kept in the cache, and so is what is known of their absent chunks.
#pragma once

#include <memory>
#include <optional>

#include "formats/core/model/context.h"
#include "fs/views/line_grid.h"

namespace plainfs {

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
