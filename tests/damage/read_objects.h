// Reads small parts of everything that a schema makes of an R object, for fuzz targets.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/containers/rds/container.h"
#include "formats/core/base/error.h"
#include "formats/schemas/robject/schema.h"

namespace plainfs {

inline constexpr uint64_t kMaxRead = 1 << 12;

template <class Read>
inline void attempt(Read&& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

inline void read_some(const ArrayPtr& array) {
  if (!array) return;
  attempt([&] {
    array->check();
    Box box = whole(array->shape());
    for (uint64_t& extent : box.extent) extent = std::min<uint64_t>(extent, 16);
    if (element_count(box.extent) <= kMaxRead) array->read(box);
    if (array->shape().size() == 1 && array->count() > 0) array->read(range(array->count() - 1, 1));
  });
}

inline void read_content(const Content& content) {
  if (const auto* array = std::get_if<LabelledArray>(&content)) {
    for (const ArrayPtr& part : {array->values, array->labels, array->row_names, array->column_names})
      read_some(part);
  } else if (const auto* table = std::get_if<Table>(&content)) {
    read_some(table->row_names);
    for (const Column& column : table->columns) read_some(column.values);
  } else if (const auto* matrix = std::get_if<SparseMatrix>(&content)) {
    attempt([&] {
      const SparseMatrix known = evaluated(*matrix);
      for (const ArrayPtr& part : {known.value, known.index, known.pointer}) read_some(part);
    });
  } else if (const auto* entries = std::get_if<CoordinateMatrix>(&content)) {
    for (const ArrayPtr& part : {entries->row, entries->column, entries->value}) read_some(part);
  } else if (const auto* ranges = std::get_if<GenomicRanges>(&content)) {
    for (const ArrayPtr& part : {ranges->sequence, ranges->start, ranges->strand}) read_some(part);
  }
}

inline void walk(const Node& node) {
  read_content(node.content);
  attempt([&] { attributes_of(node); });
  if (!node.parts) return;
  attempt([&] {
    for (const Member& member : node.parts->members()) walk(member.node);
  });
}

// Reads an object that a reader made.
inline void read_object(rds::ValuePtr value, Context& context) {
  Node root;
  root.parts = std::make_shared<rds::ValueGroup>(std::move(value), "/nowhere/store.rds");
  if (const std::optional<Node> node = robject::refine(root, context)) walk(*node);
}

}  // namespace plainfs
