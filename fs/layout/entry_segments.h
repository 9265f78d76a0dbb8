// Segments of a file with the entries of a sparse matrix in the order that R requires.
#pragma once

#include <bit>
#include <memory>

#include "formats/core/sparse/entry_order.h"
#include "fs/layout/byte_layout.h"
#include "fs/layout/element_form.h"

namespace plainfs {

// A segment of a file with the indices of the entries in the order of EntryOrder, in 32 bits each.
class IndexSegment : public Segment {
 public:
  IndexSegment(std::shared_ptr<const LazyOrder> order, uint64_t entries,
               std::endian bytes = std::endian::big);

  uint64_t size() const override { return size_; }
  void read(const Wanted& wanted) const override;
  void release(uint64_t begin, uint64_t end) const override;

 private:
  bool read_in_place(const Wanted& wanted, uint64_t first, uint64_t count) const;

  const std::shared_ptr<const LazyOrder> order_;
  const std::endian bytes_;
  const uint64_t size_;
};

// A segment of a file with the values of the entries in that order.
class ValueSegment : public Segment {
 public:
  ValueSegment(std::shared_ptr<const LazyOrder> order, uint64_t entries, ElementForm form);

  uint64_t size() const override { return size_; }
  void read(const Wanted& wanted) const override;
  void release(uint64_t begin, uint64_t end) const override;

 private:
  const std::shared_ptr<const LazyOrder> order_;
  const ElementForm form_;
  const uint64_t size_;
};

}  // namespace plainfs
