#include "formats/annotated/parts.h"

#include "formats/core/model/derived_group.h"
#include "formats/core/model/node.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/model/turned_array.h"
#include "formats/registry.h"

namespace plainfs::annotated {

std::optional<Node> member_of(const GroupPtr& group, std::string_view name, Context& context) {
  if (!group) return std::nullopt;
  std::optional<Node> node = group->find(name);
  if (!node) return std::nullopt;
  return readable(*std::move(node), context);
}

std::optional<Node> look_at_member(const GroupPtr& group, std::string_view name, Context& context) {
  if (const auto* listed = dynamic_cast<const KnownMembers*>(group.get())) {
    const Node* const known = listed->known(name);
    return known ? std::optional(*known) : std::nullopt;
  }
  std::optional<Node> node = group->find(name);
  return node ? std::optional(refine(*std::move(node), context)) : std::nullopt;
}

Node readable(Node node, Context& context) {
  node = refine(std::move(node), context);
  if (const std::optional<Error> fault = transient_fault(node)) throw *fault;
  if (const auto* error = std::get_if<Error>(&node.content)) throw *error;
  if (const auto* broken = dynamic_cast<const BrokenGroup*>(node.parts.get())) throw broken->error();
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (array && dynamic_cast<const BrokenArray*>(array->values.get())) array->values->check();
  return node;
}

Content part_content(Node node, Context& context) {
  try {
    return readable(std::move(node), context).content;
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return error;
  }
}

void note_left_out(const GroupPtr& group, std::string_view name, Context& context) {
  const std::string place = group->path();
  context.notice(fmt::format("{}/{}: not in the .h5ad", place == "/" ? "" : place, name));
}

Content cells_by_genes(const Content& genes_by_cells) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&genes_by_cells)) return transposed(*sparse);
  if (const auto* array = std::get_if<LabelledArray>(&genes_by_cells);
      array && array->values->shape().size() == 2)
    return LabelledArray{turned_round(as_meant(*array).values), array->column_names, array->row_names};
  return {};
}

std::optional<Extent> extent_of(const Content& content) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&content)) return Extent{sparse->rows, sparse->columns};
  const auto* array = std::get_if<LabelledArray>(&content);
  if (!array || array->values->shape().size() != 2) return std::nullopt;
  const Shape& shape = array->values->shape();
  const bool turned = array->values->column_major();
  return Extent{shape[turned], shape[!turned]};
}

bool is_empty(const Node& node) {
  return std::holds_alternative<std::monostate>(node.content) && node.parts && node.parts->members().empty();
}

Table named_rows(uint64_t rows, ArrayPtr names) {
  Table table;
  table.rows = rows;
  if (names) names->check();
  if (names && names->count() == rows) table.row_names = std::move(names);
  return table;
}

Table genes_of(uint64_t rows, const ArrayPtr& names, const ArrayPtr& ids, const ArrayPtr& types) {
  Table table = named_rows(rows, names);
  if (ids && ids != names) table.columns.push_back({"gene_ids", ids});
  if (types) table.columns.push_back({"feature_types", types});
  return table;
}

}  // namespace plainfs::annotated
