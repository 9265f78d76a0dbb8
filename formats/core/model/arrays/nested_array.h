// Cells that hold lists: the columns of NWB's and HDMF's tables. Their elements are stored one after another
// in one array, and indices mark the end of each row.
#pragma once

#include <vector>

#include "formats/core/model/arrays/derived_array.h"

namespace plainfs {

// The elements of `values` that belong to each row of a table: those of row r end before ends[0][r]. With
// more than one list of ends, each divides the next one, or `values`: ends[0] marks where the lists of a row
// end, ends[1] where their elements end. Without ends, each row has one element of `values`. An element of
// `values` beyond its first axis is a list itself. The parts are checked when they are used.
struct RowElements {
  ArrayPtr ids;  // of the rows; null = numbers from 0, or not wanted
  ArrayPtr values;
  std::vector<ArrayPtr> ends;
};

// Returns the number of rows.
uint64_t row_count(const RowElements& elements);

// The cells as JSON, one text per row. A view that can split a cell uses the elements instead. This array
// reads whole cells, so check() throws unsupported if they have over 2^20 values in total.
class NestedArray : public Array {
 public:
  explicit NestedArray(RowElements elements)
      : Array(number_type(Kind::json, 0), {row_count(elements)}), elements_(std::move(elements)) {}

  const RowElements& elements() const { return elements_; }
  // Returns whether the cells have at most that many values. Examines shapes only.
  bool can_be_held() const;
  Elements read(const Box& box) const override;
  void check() const override;

 private:
  const RowElements elements_;
};

// An array as stored, with elements that are known to belong to rows.
class RaggedArray : public DerivedArray {
 public:
  // elements.values may be a different array of the same length, for example the labels of codes.
  RaggedArray(ArrayPtr stored, RowElements elements)
      : DerivedArray(stored, stored->dtype()), elements_(std::move(elements)) {}

  const RowElements& elements() const { return elements_; }

 private:
  const RowElements elements_;
};

}  // namespace plainfs
