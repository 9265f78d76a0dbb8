#include "fs/views/nested_cells.h"

namespace plainfs {

namespace {

// What the index at that place divides: the lists of the next one, or the rows of the values.
uint64_t divided_by(const RowElements& elements, size_t index) {
  return index + 1 < elements.ends.size() ? elements.ends[index + 1]->count() : elements.values->shape()[0];
}

}  // namespace

NestedCells::NestedCells(const RowElements& elements) : elements_(elements) {
  for (size_t i = 0; i < elements.ends.size(); ++i)
    levels_.push_back({ListEnds(*elements.ends[i], divided_by(elements, i)), 0});
  const Shape& shape = elements.values->shape();
  for (size_t axis = 1; axis < shape.size(); ++axis) levels_.push_back({std::nullopt, shape[axis]});
}

Span NestedCells::children(size_t level, uint64_t list) {
  Level& here = levels_[level];
  if (!here.ends) return {list * here.length, (list + 1) * here.length};
  const uint64_t begin = here.ends->begin(list), end = here.ends->end(list);
  if (end < begin) throw damaged("index {} is {} after {}", list, end, begin);
  return {begin, end};
}

Span NestedCells::all_children(size_t level, Span lists) {
  Level& here = levels_[level];
  const auto begin_of = [&](uint64_t list) {
    return here.ends ? (list == 0 ? 0 : here.ends->end(list - 1)) : list * here.length;
  };
  const uint64_t begin = begin_of(lists.begin);
  return {begin, lists.size() == 0 ? begin : begin_of(lists.end)};
}

Span NestedCells::leaves(size_t level, Span lists) {
  for (; level < levels_.size(); ++level) lists = all_children(level, lists);
  return lists;
}

void NestedCells::check() const {
  elements_.values->check();
  element_count(elements_.values->shape());
  for (size_t i = 0; i < elements_.ends.size(); ++i)
    check_list_ends(*elements_.ends[i], divided_by(elements_, i));
}

}  // namespace plainfs
