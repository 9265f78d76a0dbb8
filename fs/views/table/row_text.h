// Texts of the rows of several arrays, in blocks of lines. A unit is the rows that are read from the arrays
// at once: one block, or several if the cache cannot hold the chunks that lie side by side, so that not every
// block decodes them all again.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "fs/text/text_file.h"

namespace plainfs {

// A reader of the units of several arrays. Thread-safe.
class RowUnits {
 public:
  // The data that were read of each array.
  struct Rows {
    std::vector<Elements> parts;
    size_t allocated_bytes() const;
  };
  struct Block {
    uint64_t unit;
    uint64_t first_in_unit;
    uint64_t first;  // row
    uint64_t count;
  };

  // row_text: approximate characters per row. read_often: each block is read several times, so units are
  // cached at any size. Requires: each array has, in C order, the same number of elements for each row.
  RowUnits(uint64_t rows, std::vector<ArrayPtr> arrays, uint64_t row_text, Context& context,
           bool read_often = false);
  ~RowUnits();
  RowUnits(const RowUnits&) = delete;
  RowUnits& operator=(const RowUnits&) = delete;

  uint64_t block_count() const;
  // Identifies this division into blocks (TextSource::division).
  uint64_t division() const { return rows_in_unit_ << 24 ^ rows_in_block_; }
  Block block(uint64_t number) const;
  // Returns whether units are kept in the cache.
  bool are_shared() const { return read_often_ || blocks_in_unit_ > 1; }
  // Returns a unit. Throws whatever Array::read throws. without: the number of an array that is not needed;
  // it is left out if the unit is read for this call alone.
  static constexpr size_t kNone = SIZE_MAX;
  std::shared_ptr<const Rows> read(uint64_t unit, size_t without = kNone) const;

 private:
  struct Part {
    ArrayPtr array;
    uint64_t per_row;  // elements
  };
  void choose_units();
  uint64_t rows_in_band(const Part& part) const;
  Rows read_rows(uint64_t first, uint64_t count, size_t without = kNone) const;
  void let_go(const Part& part, uint64_t first, uint64_t end) const;

  const uint64_t rows_;
  std::vector<Part> parts_;
  Context& context_;
  const bool read_often_;
  const uint64_t cache_owner_;
  uint64_t rows_in_block_ = 1;
  uint64_t rows_in_unit_ = 1;
  uint64_t blocks_in_unit_ = 1;
};

// The rows of a block.
struct ShownRows {
  const std::vector<Elements>& parts;  // the data of each array
  uint64_t first;                      // row of parts
  uint64_t count;
  uint64_t first_of_all;  // the number of that row among all rows
};

// A source of a similar amount of text for each row. The View calls show_rows() while it is prepared and has
// `template <class Sink> void put_rows(const ShownRows& rows, Sink& sink) const`.
template <class View>
class RowText : public EmittingSource<View> {
 public:
  uint64_t division() const override { return units_->division(); }
  uint64_t block_count() const override { return units_->block_count(); }

  template <class Sink>
  void emit(uint64_t number, Sink& sink) const {
    const RowUnits::Block block = units_->block(number);
    const std::shared_ptr<const RowUnits::Rows> rows = units_->read(block.unit);
    const ShownRows shown{rows->parts, block.first_in_unit, block.count, block.first};
    static_cast<const View*>(this)->put_rows(shown, sink);
  }

 protected:
  // See the constructor of RowUnits.
  void show_rows(uint64_t rows, std::vector<ArrayPtr> arrays, uint64_t row_text, Context& context) {
    units_.emplace(rows, std::move(arrays), row_text, context);
  }
  const RowUnits& units() const { return *units_; }

 private:
  std::optional<RowUnits> units_;  // null before show_rows()
};

}  // namespace plainfs
