// Sparse matrices that are computed from others as they are read, a run of rows or columns at a time: what
// delayed operations make of compressed matrices. A source runs along one of its sides, the major one.
#pragma once

#include <memory>
#include <vector>

#include "formats/core/model/array.h"

namespace plainfs {

using Indices = std::shared_ptr<const std::vector<uint64_t>>;

// The entries of a run of majors.
struct EntryRun {
  std::vector<uint64_t> pointer{0};  // majors + 1 values
  std::vector<uint64_t> index;       // minor, rising within each major
  Elements value;
};

// Immutable and thread-safe.
class EntrySource {
 public:
  EntrySource(uint64_t majors, uint64_t minors, DType dtype)
      : majors_(majors), minors_(minors), dtype_(std::move(dtype)) {}
  virtual ~EntrySource() = default;
  EntrySource(const EntrySource&) = delete;
  EntrySource& operator=(const EntrySource&) = delete;

  uint64_t majors() const { return majors_; }
  uint64_t minors() const { return minors_; }
  const DType& dtype() const { return dtype_; }

  // How many entries each of majors [first, first + count) has. Both throw what reading throws, and damaged
  // where what is stored is no matrix.
  virtual std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const = 0;
  virtual EntryRun read(uint64_t first, uint64_t count) const = 0;
  // As read, but the values may be left out, and the indices in any order: for who counts entries.
  virtual EntryRun positions(uint64_t first, uint64_t count) const { return read(first, count); }
  // Whether a read goes over the whole matrix, however little is wanted.
  virtual bool reads_all() const { return false; }

 private:
  const uint64_t majors_;
  const uint64_t minors_;
  const DType dtype_;
};
using EntrySourcePtr = std::shared_ptr<const EntrySource>;

// Reads count numbers of a list of indices or pointers. Throws damaged if one is negative or none is a whole
// number; what: "index".
std::vector<uint64_t> whole_numbers(const Array& array, uint64_t first, uint64_t count, const char* what);

// Of the three lists of a compressed matrix. as_stored: the indices of a major are in the order that they are
// stored in, whether they rise or not; so they are then in what is made of it by subset.
EntrySourcePtr compressed_source(ArrayPtr value, ArrayPtr index, ArrayPtr pointer, uint64_t majors,
                                 uint64_t minors, bool as_stored = false);
// The given majors, or minors, in their order; they may repeat. Requires: all below the side's extent.
EntrySourcePtr major_subset(EntrySourcePtr source, Indices indices);
EntrySourcePtr minor_subset(EntrySourcePtr source, const Indices& indices);
// One after another along a side. Requires: at least one, of one type, equal on the other side.
EntrySourcePtr major_combined(std::vector<EntrySourcePtr> sources);
EntrySourcePtr minor_combined(std::vector<EntrySourcePtr> sources);
// The same matrix along its other side.
EntrySourcePtr flipped(EntrySourcePtr source);
// With values of another type of numbers.
EntrySourcePtr converted(EntrySourcePtr source, const DType& dtype);

}  // namespace plainfs
