#include "fs/views/parts/part_files.h"

#include <functional>
#include <memory>
#include <unordered_map>

#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/cell_groups.h"
#include "formats/annotated/selection.h"
#include "formats/core/model/arrays/factor.h"
#include "formats/core/model/contents/cell_table.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/elements/element_text.h"
#include "fs/views/parts/part_names.h"

namespace plainfs {

namespace {

// The most levels of a column. Each is a directory, and a table of numbers may have a different one in every
// row.
constexpr uint64_t kMaxLevels = 1 << 16;

// The most columns that can be nested, so that a walk through the tree ends.
constexpr size_t kMaxDepth = 8;

using GroupsPtr = std::shared_ptr<const CellGroups>;

// The table of the cells of an object, and the function that selects those of one level.
struct Cells {
  AnnotatedMatrix described;  // its cells, obs and obs_names
  std::function<Node(const GroupsPtr& groups, uint32_t level)> select;
};
using CellsPtr = std::shared_ptr<const Cells>;

std::vector<ViewEntry> levels_of_column(const Column& column, const CellsPtr& cells) {
  std::optional<CellGroups> groups = cell_groups(*column.values, kMaxLevels);
  if (!groups) throw unsupported("{} has more than {} levels", column.name, kMaxLevels);
  if (groups->cells.size() != cells->described.cells)
    throw damaged("{} has {} values for {} cells", column.name, groups->cells.size(), cells->described.cells);
  const PartNames names("level", std::move(groups->levels));
  const auto shared = std::make_shared<const CellGroups>(*std::move(groups));
  std::vector<ViewEntry> levels;
  for (uint32_t level = 0; level < names.count(); ++level) {
    levels.push_back({names.file(level), nullptr});
    Node selected = cells->select(shared, level);
    selected.role = Role::level;
    levels.back().shared_node = std::make_shared<const Node>(std::move(selected));
  }
  return levels;
}

std::vector<ViewEntry> columns_of(const CellsPtr& cells) {
  const std::vector<Column>& columns = cells->described.obs.columns;
  std::vector<std::string> all;
  for (const Column& column : columns) all.push_back(column.name);
  const PartNames names("column", std::move(all));
  std::vector<ViewEntry> directories;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (levels_of(*columns[i].values) == ColumnLevels::none) continue;
    ViewEntry directory{names.file(i), nullptr};
    directory.is_unlisted = !has_listed_groups(cells->described, columns[i]);
    directory.list = [column = columns[i], cells] { return levels_of_column(column, cells); };
    directories.push_back(std::move(directory));
  }
  return directories;
}

ViewEntry directory_of(const FileRow& row, std::function<CellsPtr()> find) {
  ViewEntry directory = row.entry(std::string(row.name));
  directory.list = [find = std::move(find)] { return columns_of(find()); };
  return directory;
}

Indices cells_of(const CellGroups& groups, uint32_t level) {
  auto cells = std::make_shared<std::vector<uint64_t>>();
  for (uint64_t cell = 0; cell < groups.cells.size(); ++cell)
    if (groups.cells[cell] == level) cells->push_back(cell);
  return cells;
}

CellsPtr cells_of_matrix(const GroupPtr& stored, AnnotatedMatrix matrix, Context& context) {
  const auto whole = std::make_shared<const AnnotatedMatrix>(std::move(matrix));
  AnnotatedMatrix described;
  described.cells = whole->cells;
  described.obs = whole->obs;
  described.obs_names = whole->obs_names;
  return std::make_shared<const Cells>(
      Cells{std::move(described), [stored, whole, &context](const GroupsPtr& groups, uint32_t level) {
              return Node{{}, std::make_shared<AnnotatedGroup>(stored, [whole, groups, level, &context] {
                            return selected_cells(*whole, cells_of(*groups, level), context);
                          })};
            }});
}

// The directory of some of the fragments; it contains only the files of views.
struct ChosenGroup : ListedGroup {
  explicit ChosenGroup(const Group& stored) : ListedGroup(stored.parent(), stored.path(), List()) {}
};

// Returns a column of a table in the order of the cells, which have these rows in it. Values of cells without
// a row are missing.
ArrayPtr in_order_of_cells(const Array& column, const std::vector<uint64_t>& rows) {
  Elements values = gather(column.dtype(), read_all(column), [&] {
    std::vector<uint64_t> places;
    for (const uint64_t row : rows) places.push_back(row == kNoLevel ? 0 : row);
    return places;
  }());
  values.missing.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) values.missing[i] |= rows[i] == kNoLevel;
  return std::make_shared<MemoryArray>(column.dtype(), Shape{rows.size()}, std::move(values));
}

// Returns the rows of `table` in the order of the cells. Its row names are names of cells.
Table joined(const Table& table, const Array& cell_names) {
  const Elements own = read_all(*table.row_names), names = read_all(cell_names);
  std::unordered_map<std::string_view, uint64_t> known;
  for (uint64_t row = 0; row < own.count; ++row) known.emplace(own.text(row), row);
  std::vector<uint64_t> rows;
  std::string name;
  for (uint64_t cell = 0; cell < names.count; ++cell) {
    name.clear();
    append_plain(cell_names.dtype(), names, cell, name);
    const auto found = known.find(name);
    rows.push_back(found == known.end() ? kNoLevel : found->second);
  }
  Table generated{names.count, nullptr, {}};
  if (table.rows == 0) return generated;
  for (const Column& column : table.columns)
    generated.columns.push_back({column.name, in_order_of_cells(*column.values, rows)});
  return generated;
}

CellsPtr cells_of_fragments(const Fragments& fragments, const GroupPtr& stored, Context& context) {
  if (fragments.error) throw *fragments.error;
  fragments.cell_names->check();
  AnnotatedMatrix described;
  described.obs = joined(context.options.cells->table, *fragments.cell_names);
  described.cells = described.obs.rows;
  return std::make_shared<const Cells>(
      Cells{std::move(described), [fragments, stored, &context](const GroupsPtr& groups, uint32_t level) {
              std::vector<uint8_t> chosen(groups->cells.size());
              for (size_t cell = 0; cell < chosen.size(); ++cell) chosen[cell] = groups->cells[cell] == level;
              return Node{selected_fragments(fragments, std::move(chosen), context),
                          std::make_shared<ChosenGroup>(*stored)};
            }});
}

}  // namespace

void offer_by(const FileRow& row, const Node& node, Context& context, Files& files) {
  if (!node.parts) return;
  const GroupPtr stored = stored_group(*node.parts).shared_from_this();
  const auto* fragments = std::get_if<Fragments>(&node.content);
  if (fragments && context.options.cells && !dynamic_cast<const ChosenGroup*>(stored.get()))
    files.push_back(directory_of(row, [fragments = *fragments, stored, &context] {
      return cells_of_fragments(fragments, stored, context);
    }));
  const auto* const group = dynamic_cast<const AnnotatedGroup*>(stored.get());
  const bool is_selection = group && group->is_selection();
  if (group && group->depth() >= kMaxDepth) return;
  const std::optional<FoundAnnotatedMatrix> found = annotated_matrix_of(node, context);
  if (!found || !found->has_obs || found->refusal) return;
  files.push_back(directory_of(
      row, [stored, make = found->make, &context] { return cells_of_matrix(stored, make(), context); }));
  files.back().is_never_listed = is_selection;
}

}  // namespace plainfs
