#include "fs/tree/passing_faults.h"

#include <algorithm>

#include "formats/model/broken_group.h"

namespace plainfs {
namespace {

bool is_broken_for_now(const ArrayPtr& array) {
  if (!dynamic_cast<const BrokenArray*>(array.get())) return false;
  try {
    array->check();
    return false;
  } catch (const Error& error) {
    return passes(error);
  }
}

}  // namespace

bool has_passing_fault(const Shown& shown) {
  if (shown.error) return passes(*shown.error);
  const auto* group = dynamic_cast<const BrokenGroup*>(shown.node.parts.get());
  if (group && passes(group->error())) return true;
  const Content& content = shown.node.content;
  if (const auto* file = std::get_if<PlainFile>(&content)) return file->error && passes(*file->error);
  if (const auto* error = std::get_if<Error>(&content)) return passes(*error);
  if (const auto* array = std::get_if<LabelledArray>(&content))
    return is_broken_for_now(array->values) || is_broken_for_now(array->row_names) ||
           is_broken_for_now(array->column_names);
  if (const auto* matrix = std::get_if<SparseMatrix>(&content))
    return (matrix->error && passes(*matrix->error)) || is_broken_for_now(matrix->row_names) ||
           is_broken_for_now(matrix->column_names);
  const auto* table = std::get_if<Table>(&content);
  return table && (is_broken_for_now(table->row_names) ||
                   std::any_of(table->columns.begin(), table->columns.end(),
                               [](const Column& column) { return is_broken_for_now(column.values); }));
}

}  // namespace plainfs
