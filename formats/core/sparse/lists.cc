#include "formats/core/sparse/lists.h"

#include <utility>

#include "formats/core/base/checked.h"

namespace plainfs {

void Lists::check() const {
  for (const ArrayPtr& list : {value, index, pointer}) list->check();
  if (index->count() != entries())
    throw damaged("a sparse matrix has {} values and {} indices", entries(), index->count());
  const uint64_t stored = pointer->count();
  const bool is_surplus = majors == 0 && stored == 2 && entries() == 0;
  if (stored != checked_add(majors, 1) && !is_surplus)
    throw damaged("a sparse matrix has {} pointers for {} {}s", stored, majors, major_word());
}

Lists lists_of(const SparseMatrix& matrix) {
  return {matrix.value, matrix.index, matrix.pointer, matrix.majors(), matrix.minors(), matrix.by_row};
}

uint64_t major_count(const Array& pointer) {
  if (pointer.count() == 0) throw damaged("a sparse matrix has no pointers");
  return pointer.count() - 1;
}

void check_last_pointer(uint64_t pointer, uint64_t entries) {
  if (pointer != entries)
    throw damaged("the pointers end at {}, expected {}, the number of entries", pointer, entries);
}

Pointers::Pointers(const Array& pointer, uint64_t entries, uint64_t first, uint64_t count)
    : run_(pointer, first, count, UINT64_MAX, "pointer") {
  uint64_t before = 0;
  for (uint64_t number = first; const uint64_t each : values()) {
    if (number == 0 && each != 0) throw damaged("pointer 0 is {}, expected 0", each);
    if (each > entries) throw damaged("pointer {} is {}, but there are {} entries", number, each, entries);
    if (each < before) throw damaged("pointer {} is {} after {}, expected no less", number, each, before);
    before = each;
    ++number;
  }
}

Pointers::Pointers(const Lists& lists, uint64_t first, uint64_t count)
    : Pointers(*lists.pointer, lists.entries(), first, count + 1) {
  if (first + count == lists.majors) check_last_pointer(values().back(), lists.entries());
}

ArrayPtr pointer_list(std::span<const uint64_t> pointers) {
  const DType whole = number_type(Kind::unsigned_integer, 8);
  Elements elements = zero_elements(whole, pointers.size());
  std::copy(pointers.begin(), pointers.end(), elements.mutable_values<uint64_t>().begin());
  return std::make_shared<MemoryArray>(whole, Shape{pointers.size()}, std::move(elements));
}

}  // namespace plainfs
