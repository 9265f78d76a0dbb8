#include "fs/views/by.h"

#include <memory>

#include "formats/core/model/known_members.h"
#include "formats/schemas/annotated/annotated_matrices.h"
#include "formats/schemas/annotated/cell_groups.h"
#include "formats/schemas/annotated/selection.h"
#include "fs/views/part_names.h"

namespace plainfs {

namespace {

// A directory each: a table of numbers may have another in every row.
constexpr uint64_t kMostLevels = 1 << 16;

// What the cells are selected of.
struct Whole {
  GroupPtr stored;
  AnnotatedMatrix matrix;
  Context& context;
};
using WholePtr = std::shared_ptr<const Whole>;
using GroupsPtr = std::shared_ptr<const CellGroups>;

Indices cells_of(const CellGroups& groups, uint32_t level) {
  auto cells = std::make_shared<std::vector<uint64_t>>();
  for (uint64_t cell = 0; cell < groups.cells.size(); ++cell)
    if (groups.cells[cell] == level) cells->push_back(cell);
  return cells;
}

OfferedFile level_directory(std::string name, const WholePtr& whole, const GroupsPtr& groups,
                            uint32_t level) {
  OfferedFile directory{true, std::move(name), nullptr};
  directory.node.parts = std::make_shared<AnnotatedGroup>(whole->stored, [whole, groups, level] {
    return selected_cells(whole->matrix, cells_of(*groups, level), whole->context);
  });
  return directory;
}

std::vector<OfferedFile> levels_of_column(const Column& column, const WholePtr& whole) {
  std::optional<CellGroups> groups = cell_groups(*column.values, kMostLevels);
  if (!groups) throw unsupported("{} has over {} levels", column.name, kMostLevels);
  if (groups->cells.size() != whole->matrix.cells)
    throw damaged("{} has {} values for {} cells", column.name, groups->cells.size(), whole->matrix.cells);
  const PartNames names("level", std::move(groups->levels));
  const auto shared = std::make_shared<const CellGroups>(*std::move(groups));
  std::vector<OfferedFile> levels;
  for (uint32_t level = 0; level < names.count(); ++level)
    levels.push_back(level_directory(names.file(level), whole, shared, level));
  return levels;
}

std::vector<OfferedFile> columns_of(const WholePtr& whole) {
  const std::vector<Column>& columns = whole->matrix.obs.columns;
  std::vector<std::string> all;
  for (const Column& column : columns) all.push_back(column.name);
  const PartNames names("column", std::move(all));
  std::vector<OfferedFile> directories;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (levels_of(*columns[i].values) == ColumnLevels::none) continue;
    OfferedFile directory{true, names.file(i), nullptr};
    directory.found_by_name = !has_listed_groups(whole->matrix, columns[i]);
    directory.list = [column = columns[i], whole] { return levels_of_column(column, whole); };
    directories.push_back(std::move(directory));
  }
  return directories;
}

}  // namespace

void offer_by(const Node& node, Context& context, std::vector<OfferedFile>& files) {
  const std::optional<FoundAnnotatedMatrix> found = annotated_matrix_of(node, context);
  if (!found || !found->has_obs) return;
  const GroupPtr stored = stored_group(*node.parts).shared_from_this();
  OfferedFile directory{true, "by", nullptr};
  directory.found_by_name = true;
  directory.leads_back = dynamic_cast<const AnnotatedGroup*>(stored.get()) != nullptr;
  directory.list = [stored, make = found->make, &context] {
    return columns_of(std::make_shared<const Whole>(Whole{stored, make(), context}));
  };
  files.push_back(std::move(directory));
}

}  // namespace plainfs
