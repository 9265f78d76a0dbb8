#include "fs/serve/pages/cells/cell_colour.h"

#include <algorithm>

#include "formats/core/model/arrays/factor.h"
#include "formats/core/model/elements/element_text.h"
#include "fs/report/headline.h"
#include "fs/serve/pages/cells/embeddings.h"
#include "fs/serve/pages/model/nearest.h"
#include "fs/serve/pages/model/samples.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxColours = 10'000;

const Column* column_in(const AnnotatedMatrix& matrix, std::string_view name) {
  for (const Column& column : matrix.obs.columns)
    if (column.name == name) return &column;
  return nullptr;
}

// Returns the store's colours of a column, one per category: scanpy's uns/COLUMN_colors.
std::vector<std::string> stored_colours(const Node& directory, const std::string& column) {
  const GroupPtr uns = directory.parts ? find_group(*directory.parts, "uns") : nullptr;
  const ArrayPtr array = uns ? find_array(*uns, column + "_colors") : nullptr;
  if (!array || array->shape().size() != 1 || array->count() > kMaxColours) return {};
  std::vector<std::string> colours;
  const Elements elements = read_all(*array);
  for (uint64_t i = 0; i < elements.count; ++i) colours.push_back(plain_text(array->dtype(), elements, i));
  return colours;
}

std::vector<std::optional<Ink>> own_inks(const Node& directory, const Column& column,
                                         const std::vector<std::string>& levels) {
  const std::optional<FactorParts> factor = factor_parts(*column.values);
  if (!factor) return {};
  const std::vector<std::string> colours = stored_colours(directory, column.name);
  const Elements categories = level_texts(*factor);
  if (colours.size() < categories.count) return {};
  std::vector<std::optional<Ink>> inks;
  uint64_t category = 0;  // the levels are some of the categories, in their order
  for (const std::string& level : levels) {
    while (category < categories.count &&
           (categories.is_missing(category) || categories.text(category) != level))
      ++category;
    inks.push_back(category < categories.count ? Ink::own(colours[category]) : std::nullopt);
    ++category;
  }
  return inks;
}

CellColour colour_of_column(const PageCells& cells, const Column& column) {
  check_cells(cells.matrix(), column.name, *column.values);
  CellColour colour{column.name};
  const ColumnLevels levels = levels_of(*column.values);
  if (levels == ColumnLevels::few || levels == ColumnLevels::texts) {
    colour.groups = cell_groups(*column.values, kMaxColouredLevels);
    if (!colour.groups)
      throw unsupported("{}: has more than {} levels, too many for colours", column.name, kMaxColouredLevels);
    try {
      colour.own_inks = own_inks(cells.directory(), column, colour.groups->levels);
    } catch (const Error& error) {
      if (error.code() == Errc::changed) throw;  // the page's colours have changed as well
    }
    return colour;
  }
  if (!column.values->dtype().is_numeric())
    throw unsupported("{}: a column of {}", column.name, column.values->dtype().name());
  colour.numbers = sampled_rows(*column.values, cells.matrix().cells, 1, 0, 1);
  colour.statistics = statistics_of(colour.numbers);
  return colour;
}

std::optional<uint64_t> gene_in_any_case(const PartNames& genes, std::string_view name) {
  std::optional<uint64_t> found;
  for (uint64_t i = 0; i < genes.count(); ++i) {
    if (!is_same_in_any_case(genes.label(i), name)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::vector<const GeneMatrix*> searched(const PageCells& cells, const GeneMatrix* matrix) {
  return matrix ? std::vector{matrix} : cells.searched();
}

struct GenePlace {
  const GeneMatrix* matrix;
  uint64_t gene;
};

std::optional<GenePlace> gene_of(const PageCells& cells, std::string_view name, const GeneMatrix* chosen) {
  for (const GeneMatrix* const matrix : searched(cells, chosen))
    if (const std::optional<PartNames::Match> found = matrix->genes()->find(encode_part(name)))
      return GenePlace{matrix, found->part};
  for (const GeneMatrix* const matrix : searched(cells, chosen))
    if (const std::optional<uint64_t> found = gene_in_any_case(*matrix->genes(), name))
      return GenePlace{matrix, *found};
  return std::nullopt;
}

void put_clusters_first(std::vector<std::string>& names) {
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return cluster_rank(a) < cluster_rank(b);
  });
}

std::vector<std::string> columns_with(const AnnotatedMatrix& matrix, ColumnLevels wanted) {
  std::vector<std::string> names;
  for (const Column& column : matrix.obs.columns) {
    if (column.name == matrix.obs_names || levels_of(*column.values) != wanted) continue;
    if (wanted != ColumnLevels::numbers || column.values->dtype().is_numeric()) names.push_back(column.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> split_names(const AnnotatedMatrix& matrix) {
  std::vector<std::string> names = columns_with(matrix, ColumnLevels::few);
  put_clusters_first(names);
  for (std::string& text : columns_with(matrix, ColumnLevels::texts)) names.push_back(std::move(text));
  return names;
}

std::vector<std::string> colour_names(const AnnotatedMatrix& matrix) {
  std::vector<std::string> names = split_names(matrix);
  for (std::string& number : columns_with(matrix, ColumnLevels::numbers)) names.push_back(std::move(number));
  return names;
}

std::optional<CellGroups> groups_of_column(const AnnotatedMatrix& matrix, std::string_view name,
                                           uint64_t most) {
  const Column* const column = column_in(matrix, name);
  if (!column || levels_of(*column->values) == ColumnLevels::none) return std::nullopt;
  check_cells(matrix, column->name, *column->values);
  return cell_groups(*column->values, most);
}

std::optional<CellColour> cell_colour(const PageCells& cells, std::string_view name,
                                      const GeneMatrix* matrix) {
  if (const Column* const column = column_in(cells.matrix(), name)) return colour_of_column(cells, *column);
  const std::optional<GenePlace> found = gene_of(cells, name, matrix);
  if (!found) return std::nullopt;
  CellColour colour{std::string(found->matrix->genes()->label(found->gene)), true};
  if (cells.matrices().size() > 1) colour.matrix = found->matrix;
  colour.numbers = cells.values(*found->matrix, found->gene);
  colour.statistics = statistics_of(colour.numbers);
  return colour;
}

const GeneMatrix* matrix_with_gene(const PageCells& cells, std::string_view name) {
  const std::optional<GenePlace> found = gene_of(cells, name, nullptr);
  return found ? found->matrix : nullptr;
}

std::vector<std::string> nearest_colours(const PageCells& cells, std::string_view name,
                                         const GeneMatrix* matrix) {
  std::vector<std::string> near = nearest_names(name, colour_names(cells.matrix()));
  if (!cells.has_genes()) return near;
  const std::shared_ptr<const PartNames> genes = searched(cells, matrix).front()->genes();
  for (std::string& gene :
       nearest_names(name, genes->count(), [&](uint64_t i) -> std::string_view { return genes->label(i); }))
    near.push_back(std::move(gene));
  return near;
}

}  // namespace plainfs::serve
