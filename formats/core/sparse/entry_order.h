// The entries of a sparse matrix in the order that R requires: indices ascend within each column (or within
// each row of a matrix stored by row). Most stores are in this order, and then nothing is moved.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cache/lazy.h"
#include "formats/core/model/arrays/index_run.h"
#include "formats/core/model/context.h"
#include "formats/core/sparse/sparse_majors.h"

namespace plainfs {

class EntryOrder {
 public:
  // Reads all pointers. Throws like SparseMajors. Requires: neither extent of the matrix is over 2^31 - 1,
  // R's limit.
  EntryOrder(SparseMatrix matrix, Context& context);
  ~EntryOrder();

  const SparseMatrix& matrix() const { return matrix_; }
  uint64_t entries() const { return majors_.entries(); }
  uint64_t major_count() const { return majors_.count(); }

  // Returns the stored indices of entries [first, last). Throws damaged if one is outside the matrix.
  IndexRun<uint32_t> read_indices(uint64_t first, uint64_t last) const;
  // Like read_indices(), but without the check, for places(), which does it.
  IndexRun<uint32_t> read_unchecked_indices(uint64_t first, uint64_t last) const;

  // Returns the ranges of entries of the columns (or rows).
  const SparseMajors& majors() const { return majors_; }

  // Returns the stored places of the entries [first, first + count) in R's order; empty if they are the same
  // places. Reads the indices of the columns that contain them, unless they are known to ascend. Throws
  // damaged if an entry is duplicated or lies outside the matrix.
  std::vector<uint64_t> places(uint64_t first, uint64_t count) const;
  // Returns the range of entries with the indices to load for places(). It covers entries [first, last) and,
  // if that is not much, the rest of their unknown columns, so that readers that share a column do not read
  // it again.
  std::pair<uint64_t, uint64_t> with_whole_columns(uint64_t first, uint64_t last) const;
  struct Indices {
    uint64_t first;
    std::span<const uint32_t> values;
  };
  // Like places(first, count), with loaded indices. Requires: `indices` covers the entries; they need not be
  // checked.
  std::vector<uint64_t> places(uint64_t first, uint64_t count, const Indices& indices) const;

  // Returns the values of entries [first, first + count) in R's order. places: their stored places.
  Elements read_values(const std::vector<uint64_t>& places, uint64_t first, uint64_t count) const;

 private:
  struct Order {
    std::vector<uint64_t> places;
    size_t allocated_bytes() const { return places.capacity() * sizeof(uint64_t); }
  };
  struct Column {
    uint64_t major, begin, end;  // its number and its entries
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
  // Returns the columns with entries in [first, last) that are not known to ascend.
  std::vector<Column> unknown_columns(uint64_t first, uint64_t last) const;
  bool rise_as_stored(std::span<const Column> columns) const;
  static std::pair<uint64_t, uint64_t> widened(std::span<const Column> unknown, uint64_t first,
                                               uint64_t last);
  std::vector<uint64_t> places_of(std::span<const Column> unknown, const Wanted& wanted,
                                  const Indices& indices) const;
  bool rises(const Column& column, const Indices& indices) const;
  Order sorted(uint64_t major, uint64_t begin, uint64_t end) const;

  const SparseMatrix matrix_;
  Context& context_;
  const uint64_t minors_;
  const SparseMajors majors_;
  const uint64_t cache_owner_;
  // One bit per column: set if its indices are known to ascend. A late update costs time only.
  mutable std::vector<std::atomic<uint64_t>> known_;
  mutable std::atomic<uint64_t> known_entries_{0};  // of these columns
};

// An EntryOrder that is created on first use: the parts of a file before and after the entries can be read
// without it.
class LazyOrder {
 public:
  explicit LazyOrder(std::function<std::unique_ptr<const EntryOrder>()> make) : make_(std::move(make)) {}
  // Wraps an existing order.
  explicit LazyOrder(std::unique_ptr<const EntryOrder> order) : order_(std::move(order)) {}

  // Throws the errors of creating it; the next call tries again.
  const EntryOrder& get() const { return *order_.get(make_); }

 private:
  const std::function<std::unique_ptr<const EntryOrder>()> make_;  // empty: order_ was set by the constructor
  Lazy<std::unique_ptr<const EntryOrder>> order_;
};

}  // namespace plainfs
