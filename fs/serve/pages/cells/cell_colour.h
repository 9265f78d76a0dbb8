// The colour of the cells on a page: a column of obs, or a gene.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/annotated/cell_groups.h"
#include "fs/serve/pages/cells/kept_cells.h"
#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/plots/ink.h"

namespace plainfs::serve {

inline constexpr uint64_t kMaxColouredLevels = 500;

struct CellColour {
  std::string name;
  bool is_gene = false;
  const GeneMatrix* matrix = nullptr;          // of a gene, if there are several; owned by the PageCells
  std::optional<CellGroups> groups{};          // if it is a column with levels
  std::vector<std::optional<Ink>> own_inks{};  // one per level, from uns/NAME_colors; or empty
  std::vector<double> numbers{};               // if there are no groups: one value per cell, NaN if missing
  Statistics statistics{};                     // of the numbers

  // Returns the name, with that of the matrix.
  std::string title() const { return matrix ? name + " in " + matrix->name() : name; }
  Ink ink(size_t level) const {
    if (level < own_inks.size() && own_inks[level]) return *own_inks[level];
    return Ink::group(level % kGroupInks);
  }
};

// Returns the names of the columns of obs that can colour cells, starting with those that have few levels.
std::vector<std::string> colour_names(const AnnotatedMatrix& matrix);
// Returns the columns with few levels, which can split cells.
std::vector<std::string> split_names(const AnnotatedMatrix& matrix);

// Returns the levels of a column of obs; nullopt if the column is missing or has more than `most` levels.
std::optional<CellGroups> groups_of_column(const AnnotatedMatrix& matrix, std::string_view name,
                                           uint64_t most);

// Returns the colour by a column or, without such a column, by a gene: in `matrix`, or if that is null in the
// first of cells.searched() that has it. The case of a gene's name is ignored if the match is unique. Returns
// nullopt if neither exists. Throws the errors of reading, unsupported for a column that cannot colour, and
// not_unique for a name shared by several genes.
std::optional<CellColour> cell_colour(const PageCells& cells, std::string_view name,
                                      const GeneMatrix* matrix = nullptr);

// Returns the first of cells.searched() that has the gene; null if none has.
const GeneMatrix* matrix_with_gene(const PageCells& cells, std::string_view name);

// Returns the names of columns and genes nearest to a name that does not exist, also not in `matrix`.
std::vector<std::string> nearest_colours(const PageCells& cells, std::string_view name,
                                         const GeneMatrix* matrix = nullptr);

}  // namespace plainfs::serve
