#include "formats/schemas/loom/loom_file.h"

#include <span>

#include "formats/core/frames/names.h"
#include "formats/core/frames/parts.h"
#include "formats/core/model/transient_fault.h"

namespace plainfs::loom {
namespace {

ArrayPtr candidate(const Group& attributes, std::string_view name, uint64_t length) {
  ArrayPtr values = frames::part_of(attributes, name);
  if (!values || !frames::may_be_names(*values, length)) return nullptr;
  return values;
}

Names first_of(const Group& attributes, std::span<const std::string_view> names, uint64_t length) {
  for (const std::string_view name : names)
    if (ArrayPtr values = candidate(attributes, name, length)) return {values, nullptr, std::string(name)};
  for (const Member& member : attributes.members())
    if (ArrayPtr values = candidate(attributes, member.name, length)) return {values, nullptr, member.name};
  return {};
}

// Returns the names of the rows. A candidate is one-dimensional text of that length, or cannot be read. The
// order of preference is Gene, var_names, Accession, then the first by name. The format defines no index; the
// names are conventions.
Names row_names(const Group& row_attrs, uint64_t rows) {
  static constexpr std::string_view kNames[] = {"Gene", "var_names", "Accession"};
  Names found = first_of(row_attrs, kNames, rows);
  if (candidate(row_attrs, "Gene", rows)) found.ids = candidate(row_attrs, "Accession", rows);
  return found;
}

// Returns the names of the columns: CellID, else obs_names, Cell, cell_names, Barcode, else the first
// candidate by name.
Names column_names(const Group& col_attrs, uint64_t columns) {
  static constexpr std::string_view kNames[] = {"CellID", "obs_names", "Cell", "cell_names", "Barcode"};
  return first_of(col_attrs, kNames, columns);
}

// Returns the length of the first attribute that can be opened. It is that of a side if the matrix cannot be
// opened. Throws the transient error of an attribute before it.
uint64_t attribute_length(const Group& attributes) {
  for (const Member& member : attributes.members()) {
    if (const auto fault = transient_fault(member.node)) throw *fault;
    const auto* array = std::get_if<LabelledArray>(&member.node.content);
    if (array && !array->values->shape().empty()) return array->values->shape()[0];
  }
  return 0;
}

ArrayPtr fitting(const ArrayPtr& names, uint64_t own, uint64_t length) {
  return own == length ? names : nullptr;
}

}  // namespace

std::optional<LoomFile> loom_file_in(const Group& group) {
  LoomFile file;
  if (!(file.row_attrs = frames::group_part_of(group, "row_attrs")) ||
      !(file.col_attrs = frames::group_part_of(group, "col_attrs")))
    return std::nullopt;
  const ArrayPtr matrix = frames::part_of(group, "matrix");
  if (!matrix || (!frames::is_broken(*matrix) && matrix->shape().size() != 2)) return std::nullopt;
  if (const auto fault = transient_fault(matrix)) throw *fault;  // the lengths of its sides are unknown too
  file.rows = frames::is_broken(*matrix) ? attribute_length(*file.row_attrs) : matrix->shape()[0];
  file.columns = frames::is_broken(*matrix) ? attribute_length(*file.col_attrs) : matrix->shape()[1];
  file.row_names = row_names(*file.row_attrs, file.rows);
  file.column_names = column_names(*file.col_attrs, file.columns);
  return file;
}

LabelledArray labelled(const LoomFile& file, ArrayPtr values) {
  LabelledArray result;
  result.values = std::move(values);
  if (frames::is_broken(*result.values) || result.values->shape().size() != 2) return result;
  const Shape& shape = result.values->shape();
  result.row_names = fitting(file.row_names.names, file.rows, shape[0]);
  result.column_names = fitting(file.column_names.names, file.columns, shape[1]);
  result.matrix.emplace();
  result.matrix->row_ids = frames::some_decoded_names(fitting(file.row_names.ids, file.rows, shape[0]));
  result.matrix->row_names = frames::some_decoded_names(result.row_names);
  result.matrix->column_names = frames::some_decoded_names(result.column_names);
  return result;
}

std::optional<CoordinateMatrix> graph_in(const Group& group, uint64_t nodes, const ArrayPtr& names) {
  CoordinateMatrix graph;
  graph.rows = graph.columns = nodes;
  if (!(graph.row = frames::integer_part_of(group, "a")) ||
      !(graph.column = frames::integer_part_of(group, "b")) ||
      !(graph.value = frames::list_part_of(group, "w")))
    return std::nullopt;
  graph.row_names = graph.column_names = frames::some_decoded_names(names);
  return graph;
}

}  // namespace plainfs::loom
