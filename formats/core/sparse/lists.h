// The three lists of a compressed sparse matrix, and the rules that they obey: as many indices as values, and
// pointers that rise from 0 to the number of entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cache/request.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/arrays/index_run.h"
#include "formats/core/model/node.h"

namespace plainfs {

// The lists of a matrix that is stored by its majors: rows if by_row is set, else columns. The entries of
// major m are those from pointer m up to pointer m + 1.
struct Lists {
  ArrayPtr value;
  ArrayPtr index;    // minors
  ArrayPtr pointer;  // majors + 1
  uint64_t majors = 0;
  uint64_t minors = 0;
  bool by_row = false;

  uint64_t entries() const { return value->count(); }
  // Returns "row" or "column", for messages.
  const char* major_word() const { return by_row ? "row" : "column"; }
  const char* minor_word() const { return by_row ? "column" : "row"; }

  // Checks the lengths of the lists, without reading them. Throws the errors of their check(), and damaged if
  // a length is wrong. A matrix without majors may have two pointers, as BPCells writes it.
  void check() const;
};

// Returns the lists of a matrix. Requires: they are set.
Lists lists_of(const SparseMatrix& matrix);

// Returns the number of majors: one less than there are pointers. Throws damaged if there is no pointer.
uint64_t major_count(const Array& pointer);

// Checks the last of all pointers. Throws damaged if it is not the number of entries.
void check_last_pointer(uint64_t pointer, uint64_t entries);

// Pointers [first, first + count) of a matrix with `entries` entries.
class Pointers {
 public:
  // Reads the pointers. Throws damaged if they do not rise, if one is beyond the entries, or if the first of
  // all is not 0.
  Pointers(const Array& pointer, uint64_t entries, uint64_t first, uint64_t count);
  // Reads the count + 1 pointers of majors [first, first + count). Throws damaged too if they are the last
  // and do not end at the number of entries. Requires: lists.check() has passed.
  Pointers(const Lists& lists, uint64_t first, uint64_t count);

  std::span<const uint64_t> values() const { return run_.values(); }

 private:
  const IndexRun<uint64_t> run_;
};

// Calls visit(number, pointer) for all pointers in order, and returns the last. Throws like Pointers, also if
// two pointers fall that are not read together. The caller checks the last one.
template <class Visit>
uint64_t for_each_pointer(const Array& pointer, uint64_t entries, Visit&& visit) {
  constexpr uint64_t kPointersAtOnce = 64 * 1024;
  const uint64_t stored = pointer.count();
  uint64_t last = 0;
  // Each run begins with the last pointer of the one before.
  for (uint64_t first = 0; first < stored;) {
    check_cancelled();
    const uint64_t from = first - (first > 0);
    const Pointers run(pointer, entries, from, std::min(kPointersAtOnce + 1, stored - from));
    for (const uint64_t each : run.values().subspan(first - from)) visit(first++, last = each);
  }
  return last;
}

// Returns numbers as a list of pointers in memory.
ArrayPtr pointer_list(std::span<const uint64_t> pointers);

}  // namespace plainfs
