// Cells that hold lists: the columns of NWB's and HDMF's tables. Their elements stand one after another in
// one array, and indices say where each row's end.
#pragma once

#include <vector>

#include "formats/core/model/derived_array.h"

namespace plainfs {

// The elements of values that belong to each row of a table: those of row r end before ends[0][r]. With more
// than one list of ends each divides what the next one, or values, has: ends[0] says where a row's lists end,
// ends[1] where the elements of these do. No ends: an element of values a row. An element of values beyond
// its first axis is a list itself. Whether all that fits is checked where it is used.
struct RowElements {
  ArrayPtr ids;  // of the rows; null = numbers from 0, or not wanted
  ArrayPtr values;
  std::vector<ArrayPtr> ends;
};

// How many rows there are.
uint64_t row_count(const RowElements& elements);

// The cells as JSON, a text a row. A view that can cut inside a cell asks for the elements instead: here a
// read holds whole cells, so check() throws unsupported where all of them have over 2^20 values.
class NestedArray : public Array {
 public:
  explicit NestedArray(RowElements elements)
      : Array(number_type(Kind::json, 0), {row_count(elements)}), elements_(std::move(elements)) {}

  const RowElements& elements() const { return elements_; }
  // Whether they have not more than that; looks at shapes alone.
  bool can_be_held() const;
  Elements read(const Box& box) const override;
  void check() const override;

 private:
  const RowElements elements_;
};

// An array as it is, whose elements are known to belong to rows.
class RaggedArray : public DerivedArray {
 public:
  // elements.values may have other elements of the same number, labels of codes for one.
  RaggedArray(ArrayPtr stored, RowElements elements)
      : DerivedArray(stored, stored->dtype()), elements_(std::move(elements)) {}

  const RowElements& elements() const { return elements_; }

 private:
  const RowElements elements_;
};

}  // namespace plainfs
