// The entries of a sparse matrix across its compressed axis, line by line, in few bytes: for each entry the
// distance from the one before it on its line and its value, with small non-negative integers in one byte.
// One pass creates it, in segments that are short enough for memory. If the cache cannot hold all of them,
// they are written to an unnamed file (formats/core/base/scratch.h), and each line read from there is
// verified by a checksum.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "cache/cancellable_lock.h"
#include "formats/core/base/scratch.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/sparse_majors.h"

namespace plainfs {

// The entries of a line of a sparse matrix, in stored order.
struct LineEntries {
  std::vector<uint32_t> places{};
  Elements values{};
  size_t allocated_bytes() const { return places.capacity() * sizeof(uint32_t) + values.allocated_bytes(); }
};

class LineOrder {
 public:
  // Requires: majors are those of the matrix and outlive this object; the values have a fixed size; no extent
  // is over UINT32_MAX.
  LineOrder(SparseMatrix matrix, const SparseMajors& majors, Context& context);
  ~LineOrder();
  LineOrder(const LineOrder&) = delete;
  LineOrder& operator=(const LineOrder&) = delete;

  // Returns whether there is room, as far as is known. read() may still run out of it.
  bool has_room() const;
  // Creates the order by a pass over the matrix unless it exists; returns false if there is no room. Throws
  // the errors of reading the matrix.
  bool prepare() const;
  // Reads a line; returns false if there is no room. Throws the errors of reading the matrix, and unreadable
  // if the disk does not return the data. The first call prepares the order.
  bool read(uint64_t line, LineEntries& entries) const;

  // The encoding of a segment's entries.
  struct Form {
    uint32_t first_major = 0;
    bool are_small = false;
    bool marks_missing = false;
  };

 private:
  enum class Store { cache, disk, nowhere };
  struct Segment {
    Bytes bytes;
    Form form;
    size_t allocated_bytes() const { return bytes.capacity(); }
  };
  struct Placed {
    uint64_t offset;  // in the file
    Form form;
  };

  Store choose() const;
  uint64_t segments() const;
  Segment make(uint64_t segment) const;
  template <class Work>
  void for_segments(Work&& work) const;
  void fill_disk() const;
  std::shared_ptr<const Segment> segment_in_cache(uint64_t number) const;
  void fill_cache() const;
  void take(ByteSpan encoded, uint32_t checksum, const Form& form, LineEntries& entries) const;
  void read_from_disk(uint64_t line, LineEntries& entries) const;
  void read_from_cache(uint64_t line, LineEntries& entries) const;

  const SparseMatrix matrix_;
  const SparseMajors& majors_;
  Context& context_;
  const uint64_t lines_;
  const uint64_t entries_;
  const uint64_t in_segment_;                     // entries
  const bool stays_in_cache_;                     // the stored matrix
  const std::shared_ptr<ScratchFolder> scratch_;  // null: none
  const uint64_t cache_owner_;
  mutable std::atomic<bool> disk_is_full_{false};
  mutable std::atomic<bool> is_on_disk_{false};  // the file written by filling_ may be read
  mutable Once filling_;
  // Written once, by filling_.
  mutable std::unique_ptr<const ScratchFile> file_;
  mutable std::vector<Placed> placed_;  // for each segment
};

}  // namespace plainfs
