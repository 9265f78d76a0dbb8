// Sparse matrices that are computed from others as they are read, a run of rows or columns at a time: the
// delayed operations on compressed matrices. A source runs along one of its sides, the major one.
#pragma once

#include <memory>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/sparse/lists.h"

namespace plainfs {

using Indices = std::shared_ptr<const std::vector<uint64_t>>;

// The entries of a run of majors.
struct EntryRun {
  std::vector<uint64_t> pointer{0};  // majors + 1 values
  std::vector<uint64_t> index;       // minor index, rising within each major
  Elements value;
};

// A source of entries. Immutable and thread-safe.
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

  // Return the number of entries of each of majors [first, first + count), and the entries. Both throw what
  // reading throws, and damaged if the stored data are not a valid matrix.
  virtual std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const = 0;
  virtual EntryRun read(uint64_t first, uint64_t count) const = 0;
  // Reads like read(), for callers that count entries: the values may be omitted, and the indices may be in
  // any order.
  virtual EntryRun positions(uint64_t first, uint64_t count) const { return read(first, count); }
  // Returns whether every read processes the whole matrix.
  virtual bool reads_all() const { return false; }

 private:
  const uint64_t majors_;
  const uint64_t minors_;
  const DType dtype_;
};
using EntrySourcePtr = std::shared_ptr<const EntrySource>;

// Returns the source of a matrix by its lists, which are checked as they are read. as_stored: keep the stored
// order of the indices within a major, even if they do not rise; subsets of the source keep it too.
EntrySourcePtr compressed_source(Lists lists, bool as_stored = false);
// An index of minor_subset() that stands for a minor without entries.
inline constexpr uint64_t kNoMinor = UINT64_MAX;
// Return the given majors, or minors, in their order. They may repeat. Requires: all are below the side's
// extent, or kNoMinor.
EntrySourcePtr major_subset(EntrySourcePtr source, Indices indices);
EntrySourcePtr minor_subset(EntrySourcePtr source, const Indices& indices);
// Return the sources joined along a side. Requires: at least one, all of one type and equal on the other
// side.
EntrySourcePtr major_combined(std::vector<EntrySourcePtr> sources);
EntrySourcePtr minor_combined(std::vector<EntrySourcePtr> sources);
// Adds the value of entry `from` to element `to` of `sums`, which is missing if one of both is. Throws
// unsupported if a sum of integers overflows.
void add_at_place(const DType& dtype, const Elements& values, uint64_t from, Elements& sums, uint64_t to);
// Returns the matrix with its values converted to another numeric type.
EntrySourcePtr converted(EntrySourcePtr source, const DType& dtype);

}  // namespace plainfs
