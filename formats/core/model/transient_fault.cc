#include "formats/core/model/transient_fault.h"

#include <initializer_list>

namespace plainfs {
namespace {

std::optional<Error> if_passing(const Error& error) {
  return is_transient(error) ? std::optional(error) : std::nullopt;
}

std::optional<Error> first_fault(std::initializer_list<ArrayPtr> arrays) {
  for (const ArrayPtr& array : arrays)
    if (std::optional<Error> fault = transient_fault(array)) return fault;
  return std::nullopt;
}

}  // namespace

std::optional<Error> transient_fault(const ArrayPtr& array) {
  if (!dynamic_cast<const BrokenArray*>(array.get())) return std::nullopt;
  try {
    array->check();
    return std::nullopt;
  } catch (const Error& error) {
    return if_passing(error);
  }
}

std::optional<Error> transient_fault(const Node& node) {
  const auto* group = dynamic_cast<const BrokenGroup*>(node.parts.get());
  if (group && is_transient(group->error())) return group->error();
  const Content& content = node.content;
  if (const auto* file = std::get_if<PlainFile>(&content))
    return file->error ? if_passing(*file->error) : std::nullopt;
  if (const auto* error = std::get_if<Error>(&content)) return if_passing(*error);
  if (const auto* array = std::get_if<LabelledArray>(&content))
    return first_fault({array->values, array->row_names, array->column_names});
  if (const auto* matrix = std::get_if<SparseMatrix>(&content)) {
    if (matrix->error && is_transient(*matrix->error)) return matrix->error;
    return first_fault({matrix->row_names, matrix->column_names});
  }
  const auto* table = std::get_if<Table>(&content);
  if (!table) return std::nullopt;
  std::optional<Error> fault = transient_fault(table->row_names);
  for (size_t i = 0; !fault && i < table->columns.size(); ++i)
    fault = transient_fault(table->columns[i].values);
  return fault;
}

}  // namespace plainfs
