#include "formats/annotated/parts.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/node.h"
#include "formats/core/model/transient_fault.h"
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
    return LabelledArray{with_reversed_axes(labelled_values(*array).values), array->column_names,
                         array->row_names};
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

std::optional<Error> refusal_of(const Content& content) {
  const auto if_unsupported = [](const Error& error) {
    return error.code() == Errc::unsupported ? std::optional(error) : std::nullopt;
  };
  if (const auto* error = std::get_if<Error>(&content)) return if_unsupported(*error);
  const auto* sparse = std::get_if<SparseMatrix>(&content);
  if (!sparse) return std::nullopt;
  if (sparse->error) return if_unsupported(*sparse->error);
  const ArrayPtr values = sparse->value || !sparse->as_stored ? sparse->value : sparse->as_stored->value;
  if (!values || values->dtype().is_numeric()) return std::nullopt;
  return unsupported("a sparse matrix of {}", values->dtype().name());
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

bool is_reordered(const ArrayPtr& names, const ArrayPtr& expected) {
  const auto is_text = [](const ArrayPtr& array) { return array && array->dtype().kind == Kind::text; };
  if (names == expected || !is_text(names) || !is_text(expected) || names->count() != expected->count())
    return false;
  const auto texts_of = [](const Elements& elements) {
    std::vector<std::string_view> texts;
    for (uint64_t i = 0; i < elements.count; ++i) texts.push_back(elements.text(i));
    return texts;
  };
  const Elements ours = read_all(*names), theirs = read_all(*expected);
  std::vector<std::string_view> a = texts_of(ours), b = texts_of(theirs);
  if (a == b) return false;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

namespace {

constexpr uint64_t kNoRow = UINT64_MAX;

// Returns the row of each feature, found by name, or kNoRow. Empty if a row matches no feature or has no
// name.
std::vector<uint64_t> rows_of_features(const Table& table, const Array& features) {
  const auto is_text = [](const Array& array) { return array.dtype().kind == Kind::text; };
  if (!table.row_names || !is_text(*table.row_names) || !is_text(features)) return {};
  const Elements names = read_all(*table.row_names), all = read_all(features);
  std::unordered_map<std::string_view, uint64_t> rows_by_name;
  for (uint64_t i = 0; i < names.count; ++i) rows_by_name.emplace(names.text(i), i);
  std::vector<uint64_t> rows(all.count, kNoRow);
  uint64_t found = 0;
  for (uint64_t i = 0; i < all.count; ++i) {
    const auto row = rows_by_name.find(all.text(i));
    if (row == rows_by_name.end()) continue;
    rows[i] = row->second;
    ++found;
  }
  return found == table.rows ? rows : std::vector<uint64_t>();
}

bool is_in_order(const std::vector<uint64_t>& rows) {
  for (uint64_t i = 0; i < rows.size(); ++i)
    if (rows[i] != i) return false;
  return true;
}

}  // namespace

std::vector<Column> feature_columns(const Table& table, const ArrayPtr& features, const std::string& place) {
  if (table.rows == 0 || table.columns.empty()) return {};
  const uint64_t count = features->count();
  const std::vector<uint64_t> rows = rows_of_features(table, *features);
  if (rows.empty() && table.rows != count)
    throw damaged("{} has {} rows, expected {}, one for each feature", place, table.rows, count);
  if (is_in_order(rows)) return table.columns;
  std::vector<uint64_t> positions(count);
  std::transform(rows.begin(), rows.end(), positions.begin(),
                 [](uint64_t row) { return row == kNoRow ? 0 : row; });
  std::vector<Column> columns;
  for (const Column& column : table.columns) {
    column.values->check();
    const DType& type = column.values->dtype();
    Elements values = gather(type, read_all(*column.values), positions);
    values.missing.resize(count);
    for (uint64_t i = 0; i < count; ++i) values.missing[i] |= rows[i] == kNoRow;
    columns.push_back({column.name, std::make_shared<MemoryArray>(type, Shape{count}, std::move(values))});
  }
  return columns;
}

}  // namespace plainfs::annotated
