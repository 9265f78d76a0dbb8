// The colour of the cells of a page: a column of obs, or a gene.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/annotated/cell_groups.h"
#include "fs/serve/kept_cells.h"
#include "fs/serve/plots/ink.h"

namespace plainfs::serve {

inline constexpr uint64_t kMostColouredLevels = 500;

struct CellColour {
  std::string name;
  bool is_gene = false;
  std::optional<CellGroups> groups{};          // of a column with levels
  std::vector<std::optional<Ink>> own_inks{};  // a level each, of uns/NAME_colors; or none
  std::vector<double> numbers{};               // without groups: a value a cell, NaN if it is missing

  Ink ink(size_t level) const {
    if (level < own_inks.size() && own_inks[level]) return *own_inks[level];
    return Ink::group(level % kGroupInks);
  }
};

// Returns the names of the columns of obs that can colour cells, those with few levels first.
std::vector<std::string> colour_names(const AnnotatedMatrix& matrix);
// Returns those of them with few levels, by which cells can be split.
std::vector<std::string> split_names(const AnnotatedMatrix& matrix);

// Returns the levels of a column of obs; nullopt if there is no such column or it has more than most levels.
std::optional<CellGroups> groups_of_column(const AnnotatedMatrix& matrix, std::string_view name,
                                           uint64_t most);

// Returns what a column is, or else a gene, whose name may be in any case if it is the only one. nullopt if
// there is neither. Throws what reading throws, unsupported for a column that cannot colour, and not_unique
// for a name of several genes.
std::optional<CellColour> cell_colour(const PageCells& cells, std::string_view name);

// Returns the names of columns and genes that are nearest to one that there is not.
std::vector<std::string> nearest_colours(const PageCells& cells, std::string_view name);

}  // namespace plainfs::serve
