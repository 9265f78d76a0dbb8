// The entries of a sparse matrix in the order that R demands: within each column (row, of a matrix stored by
// row) the indices rise. Most stores have them so, and then nothing is moved.
#pragma once

#include <atomic>
#include <bit>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cache/cancellable_lock.h"
#include "formats/core/model/context.h"
#include "fs/native/byte_layout.h"
#include "fs/native/element_form.h"
#include "fs/native/sparse_majors.h"
#include "fs/text/index_run.h"

namespace plainfs {

class EntryOrder {
 public:
  // Reads all pointers; throws as SparseMajors does. Requires: neither extent of the matrix is over 2^31 - 1,
  // as R has them.
  EntryOrder(SparseMatrix matrix, Context& context);
  ~EntryOrder();

  const SparseMatrix& matrix() const { return matrix_; }
  uint64_t entries() const { return majors_.entries(); }
  uint64_t major_count() const { return majors_.count(); }

  // The indices of entries [first, last) as stored; throws damaged where one is outside the matrix.
  IndexRun<uint32_t> read_indices(uint64_t first, uint64_t last) const;
  // The same for places(), which looks whether they are inside.
  IndexRun<uint32_t> read_unchecked_indices(uint64_t first, uint64_t last) const;

  // Where the entries of each column (row) are.
  const SparseMajors& majors() const { return majors_; }

  // Where the entries stand in the store that come at [first, first + count) in R's order; empty: at the same
  // places. Reads the indices of the columns that these touch, those that it does not know yet.
  // Throws damaged where an entry is there twice or lies outside the matrix.
  std::vector<uint64_t> places(uint64_t first, uint64_t count) const;
  // The entries [first, last) whose indices to have at hand for that: with all the rest of columns that are
  // not known yet, where that is not much. So no column is read again for each of the readers that share it.
  std::pair<uint64_t, uint64_t> with_whole_columns(uint64_t first, uint64_t last) const;
  struct Indices {
    uint64_t first;
    std::span<const uint32_t> values;
  };
  // The same places. Requires: indices hold those of the entries; that they are checked is not.
  std::vector<uint64_t> places(uint64_t first, uint64_t count, const Indices& indices) const;

  // The values of entries [first, first + count) in R's order; places: of these.
  Elements read_values(const std::vector<uint64_t>& places, uint64_t first, uint64_t count) const;

 private:
  struct Order {
    std::vector<uint64_t> places;
    size_t allocated_bytes() const { return places.capacity() * sizeof(uint64_t); }
  };
  struct Column {
    uint64_t major, begin, end;  // which it is, and its entries
  };
  struct Wanted {
    uint64_t first, count;
  };
  bool is_known(uint64_t major) const {
    return known_[major / 64].load(std::memory_order_relaxed) >> (major % 64) & 1;
  }
  void set_known(const Column& column) const {
    const uint64_t bit = uint64_t{1} << (column.major % 64);
    if (known_[column.major / 64].fetch_or(bit, std::memory_order_relaxed) & bit) return;
    known_entries_.fetch_add(column.end - column.begin, std::memory_order_relaxed);
  }
  // Those with entries among [first, last) that are not known to rise.
  std::vector<Column> unknown_columns(uint64_t first, uint64_t last) const;
  bool rise_as_stored(std::span<const Column> columns) const;
  static std::pair<uint64_t, uint64_t> widened(std::span<const Column> unknown, uint64_t first,
                                               uint64_t last);
  std::vector<uint64_t> places_of(std::span<const Column> unknown, const Wanted& wanted,
                                  const Indices& indices) const;
  bool rises(const Column& column, const Indices& indices) const;
  const char* minor_word() const { return matrix_.by_row ? "column" : "row"; }
  Order sorted(uint64_t major, uint64_t begin, uint64_t end) const;

  const SparseMatrix matrix_;
  Context& context_;
  const uint64_t minors_;
  const SparseMajors majors_;
  const uint64_t cache_owner_;
  // A bit a column whose indices are known to rise. What threads tell each other late costs time only.
  mutable std::vector<std::atomic<uint64_t>> known_;
  mutable std::atomic<uint64_t> known_entries_{0};  // of these columns
};

// The order, found out when it is first needed: what a file holds before and after the entries can be read
// without it.
class LaterOrder {
 public:
  explicit LaterOrder(std::function<std::unique_ptr<const EntryOrder>()> make) : make_(std::move(make)) {}
  // One that is there already.
  explicit LaterOrder(std::unique_ptr<const EntryOrder> order) : order_(std::move(order)) {}

  // Throws what making it throws, and the next one tries again.
  const EntryOrder& get() const {
    if (!make_) return *order_;
    once_.call([this] { order_ = make_(); });
    return *order_;
  }

 private:
  const std::function<std::unique_ptr<const EntryOrder>()> make_;  // empty: order_ is set from the beginning
  mutable Once once_;
  mutable std::unique_ptr<const EntryOrder> order_;  // written once, by once_
};

// The index of each entry in that order as a segment of a file, in 32 bits.
class IndexSegment : public Segment {
 public:
  IndexSegment(std::shared_ptr<const LaterOrder> order, uint64_t entries,
               std::endian bytes = std::endian::big);

  uint64_t size() const override { return size_; }
  void read(const Wanted& wanted) const override;
  void passed(uint64_t begin, uint64_t end) const override;

 private:
  bool read_in_place(const Wanted& wanted, uint64_t first, uint64_t count) const;

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
