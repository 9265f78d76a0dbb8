#include "formats/core/sparse/sparse_majors.h"

namespace plainfs {

SparseMajors::SparseMajors(const SparseMatrix& matrix)
    : lists_(lists_of(matrix)), step_(count() <= kMaxKept ? 1 : kBetweenSamples) {
  lists_.check();
  entries_ = lists_.entries();
  const auto keep = [this](uint64_t number, uint64_t pointer) {
    if (number % step_ == 0) samples_.push_back(pointer);
  };
  check_last_pointer(for_each_pointer(*lists_.pointer, entries_, keep), entries_);
}

}  // namespace plainfs
