#include "fs/native/sparse_majors.h"

#include "cache/request.h"
#include "formats/core/base/checked.h"

namespace plainfs {

namespace {

constexpr uint64_t kPointersAtOnce = 64 * 1024;  // a multiple of what is between two that are kept

}  // namespace

SparseMajors::SparseMajors(const SparseMatrix& matrix)
    : pointer_(matrix.pointer),
      count_(matrix.by_row ? matrix.rows : matrix.columns),
      step_(count_ <= kMostKept ? 1 : kBetweenSamples),
      entries_(matrix.value->count()) {
  for (const ArrayPtr& part : {matrix.value, matrix.index, matrix.pointer}) part->check();
  entries_ = matrix.value->count();
  if (matrix.index->count() != entries_)
    throw damaged("a sparse matrix has {} values and {} indices", entries_, matrix.index->count());
  const uint64_t stored = pointer_->count();
  const bool surplus = count_ == 0 && stored == 2;  // as BPCells writes a matrix without columns
  if (stored != checked_add(count_, 1) && !surplus)
    throw damaged("a sparse matrix has {} pointers for {} {}", stored, count_,
                  matrix.by_row ? "rows" : "columns");
  uint64_t before = 0;
  for (uint64_t first = 0; first < stored; first += kPointersAtOnce) {
    check_cancelled();
    const IndexRun<uint64_t> pointers(*pointer_, first, std::min(kPointersAtOnce, stored - first), UINT64_MAX,
                                      "pointer");
    for (size_t i = 0; i < pointers.values().size(); ++i) {
      const uint64_t pointer = pointers.values()[i];
      if (i % step_ == 0) samples_.push_back(pointer);
      if (pointer < before || pointer > entries_ || (first + i == 0 && pointer != 0))
        throw damaged("pointer {} is {} after {}, but there are {} entries", first + i, pointer, before,
                      entries_);
      before = pointer;
    }
  }
  if (before != entries_)
    throw damaged("the pointers end at {}, expected {}, the number of entries", before, entries_);
}

}  // namespace plainfs
