// The entries of a sparse matrix across the side by which it is compressed, line by line, in few bytes: of
// each entry how far it is from the one before it on its line and its value, a small whole number in one
// byte. It is made by one pass, in segments that are short enough for memory; where all of them are not, they
// lie in a file without a name (formats/core/base/scratch.h), and a line is read from there with a checksum.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "cache/cancellable_lock.h"
#include "formats/core/base/scratch.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/native/sparse_majors.h"

namespace plainfs {

// What a line of a sparse matrix holds, in the order of the store.
struct LineEntries {
  std::vector<uint32_t> places{};
  Elements values{};
  size_t allocated_bytes() const { return places.capacity() * sizeof(uint32_t) + values.allocated_bytes(); }
};

class LineOrder {
 public:
  // Requires: majors are those of matrix and outlive this; its values are of a fixed size, no extent is over
  // UINT32_MAX.
  LineOrder(SparseMatrix matrix, const SparseMajors& majors, Context& context);
  ~LineOrder();
  LineOrder(const LineOrder&) = delete;
  LineOrder& operator=(const LineOrder&) = delete;

  // Whether there is room for it. It may be found out by read() that there is none after all.
  bool has_room() const;
  // False where there is no room. Throws what reading the matrix throws, and unreadable where the disk does
  // not give back what was set aside. The first one takes a pass over the matrix.
  bool read(uint64_t line, LineEntries& entries) const;

  // How the entries of a segment are written.
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
  void take(ByteSpan encoded, uint32_t checksum, const Form& form, LineEntries& entries) const;
  void read_from_disk(uint64_t line, LineEntries& entries) const;
  void read_from_cache(uint64_t line, LineEntries& entries) const;

  const SparseMatrix matrix_;
  const SparseMajors& majors_;
  Context& context_;
  const uint64_t lines_;
  const uint64_t entries_;
  const uint64_t in_segment_;                     // entries
  const bool stays_in_cache_;                     // the matrix as it is stored
  const std::shared_ptr<ScratchFolder> scratch_;  // null: none
  const uint64_t cache_owner_;
  mutable std::atomic<bool> disk_is_full_{false};
  mutable std::atomic<bool> is_on_disk_{false};  // then what filling_ has written may be read
  mutable Once filling_;
  // Written once, by filling_.
  mutable std::unique_ptr<const ScratchFile> file_;
  mutable std::vector<Placed> placed_;  // of each segment
};

}  // namespace plainfs
