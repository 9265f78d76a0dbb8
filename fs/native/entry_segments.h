// The entries of a sparse matrix as segments of a file, in the order of EntryOrder: within each column (row)
// the indices rise.
#pragma once

#include <bit>
#include <memory>

#include "fs/native/byte_layout.h"
#include "fs/native/element_form.h"
#include "fs/native/later_order.h"

namespace plainfs {

// The index of each entry, in 32 bits.
class IndexSegment : public Segment {
 public:
  IndexSegment(std::shared_ptr<const LaterOrder> order, uint64_t entries,
               std::endian bytes = std::endian::big);

  uint64_t size() const override { return size_; }
  void read(const Wanted& wanted) const override;
  void passed(uint64_t begin, uint64_t end) const override;

 private:
  const std::shared_ptr<const LaterOrder> order_;
  const std::endian bytes_;
  const uint64_t size_;
};

// The value of each entry.
class ValueSegment : public Segment {
 public:
  ValueSegment(std::shared_ptr<const LaterOrder> order, uint64_t entries, ElementForm form);

  uint64_t size() const override { return size_; }
  void read(const Wanted& wanted) const override;
  void passed(uint64_t begin, uint64_t end) const override;

 private:
  const std::shared_ptr<const LaterOrder> order_;
  const ElementForm form_;
  const uint64_t size_;
};

}  // namespace plainfs
