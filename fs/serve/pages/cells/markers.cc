#include "fs/serve/pages/cells/markers.h"

#include <fmt/format.h>

#include <algorithm>

#include "fs/report/words.h"
#include "fs/serve/pages/cells/cell_colour.h"
#include "fs/serve/pages/model/nearest.h"
#include "fs/serve/pages/model/number_table.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMarkersOnPage = 100;
constexpr uint64_t kMaxLevels = 10'000;
constexpr size_t kMaxBytesOfLevel = 60;

std::optional<Level> level_of(const CellGroups& groups, std::string column, std::string name) {
  const auto found = std::find(groups.levels.begin(), groups.levels.end(), name);
  if (found == groups.levels.end()) return std::nullopt;
  const auto code = static_cast<uint32_t>(found - groups.levels.begin());
  Level level{std::move(column), std::move(name), {}, 0};
  for (const uint32_t cell : groups.cells) {
    level.is_chosen.push_back(cell == code ? 1 : 0);
    level.cells += cell == code ? 1 : 0;
  }
  return level;
}

// Returns the level that ?markers= asks for. Without it, or without a rest, adds a problem.
std::optional<Level> choose_level(const Query& query, const PageCells& cells,
                                  std::vector<Problem>& problems) {
  const std::string asked = query.value("markers").value_or("");
  for (size_t colon = asked.find(':'); colon != std::string::npos; colon = asked.find(':', colon + 1)) {
    const std::string column = asked.substr(0, colon), name = asked.substr(colon + 1);
    const std::optional<CellGroups> groups = groups_of_column(cells.matrix(), column, kMaxLevels);
    if (!groups) continue;
    const std::string shown = shortened(name, kMaxBytesOfLevel);
    std::optional<Level> level = level_of(*groups, column, name);
    if (level && level->cells == 0) {
      problems.push_back({fmt::format("No cell is in {} {}.", column, shown)});
      return std::nullopt;
    }
    if (level && level->cells < groups->cells.size()) return level;
    if (level) {
      problems.push_back(
          {fmt::format("All cells are in {} {}; there is no rest to compare them with.", column, shown)});
      return std::nullopt;
    }
    Problem problem{fmt::format("{} has no level '{}'.", column, shown)};
    for (const std::string& near : nearest_names(name, groups->levels))
      problem.near.push_back({near, query.with("markers", column + ":" + near).href()});
    problems.push_back(std::move(problem));
    return std::nullopt;
  }
  problems.push_back({fmt::format("No column with levels in '{}'; expected markers=COLUMN:LEVEL.",
                                  shortened(asked, kMaxBytesOfLevel))});
  return std::nullopt;
}

// Returns the matrix that ?matrix= asks for, else the one with the genes that the page lists.
const GeneMatrix& matrix_asked(const Query& query, const PageCells& cells) {
  const GeneMatrix* const chosen = cells.matrix_of(query.value("matrix").value_or(""));
  return chosen ? *chosen : *cells.searched().front();
}

std::string key_of(const Query& query, const GeneMatrix& matrix) {
  return query.value("markers").value_or("") + "\n" + matrix.name();
}

class MarkersSection {
 public:
  MarkersSection(const Query& query, const PageCells& cells, PageModel& page)
      : query_(query), matrix_(matrix_asked(query, cells)), page_(page) {}

  void add(const PageCells& cells, const MarkersPtr& markers) {
    std::optional<Level> level = choose_level(query_, cells, page_.problems);
    if (!level || !markers) return;
    level_ = *std::move(level);
    if (query_.has("numbers")) page_.add(Attachment{"markers", table_of(*markers)});
    add_table(*markers);
  }

 private:
  void add_table(const Markers& markers) {
    const std::shared_ptr<const PartNames> names = matrix_.genes();
    const uint64_t all = markers.genes.size();
    const uint64_t from = std::min(query_.number("from").value_or(0), all);
    const uint64_t end = std::min(from + kMarkersOnPage, all);
    Grid grid;
    grid.heading = "Markers";
    grid.key = "markers";
    grid.caption = fmt::format(
        "{} genes by their score in the {} cells of {} {} against the other {}, in {}: "
        "Wilcoxon's rank sum, corrected for ties",
        count_text(all), count_text(level_.cells), level_.column, shortened(level_.name, kMaxBytesOfLevel),
        count_text(level_.is_chosen.size() - level_.cells), matrix_.name());
    if (markers.left_out > 0)
      grid.caption +=
          fmt::format("; {} with missing or infinite values left out", count_text(markers.left_out));
    grid.header = {{"gene"},
                   {"score", true},
                   {"log2 fold change", true},
                   {"not zero", true},
                   {"not zero in the rest", true},
                   {"p", true},
                   {"adjusted p", true}};
    for (uint64_t i = from; i < end; ++i) {
      const Marker& one = markers.genes[i];
      const std::string name(names->label(one.gene));
      grid.rows.push_back({{name, false, href_of(name)},
                           {fmt::format("{:.2f}", one.score)},
                           {fmt::format("{:.2f}", one.log2_change)},
                           {share_text(one.share)},
                           {share_text(one.share_rest)},
                           {fmt::format("{:.2g}", one.p)},
                           {fmt::format("{:.2g}", one.adjusted)}});
    }
    page_.add(std::move(grid));
    if (all > kMarkersOnPage) page_.add(Pager{query_, "markers", from, kMarkersOnPage, all});
    page_.add(Forms{"Download all markers", number_files(query_)});
  }

  std::string href_of(const std::string& gene) const {
    return query_.only({"matrix", "embedding", "assay"})
        .with("color", gene)
        .with("split", level_.column)
        .href();
  }

  Table table_of(const Markers& markers) const {
    const std::shared_ptr<const PartNames> names = matrix_.genes();
    std::vector<NumberTable::Text> genes;
    std::vector<std::vector<double>> numbers(6);
    for (const Marker& one : markers.genes) {
      genes.push_back({names->label(one.gene)});
      const double shown[] = {one.score, one.log2_change, one.p, one.adjusted, one.share, one.share_rest};
      for (size_t i = 0; i < numbers.size(); ++i) numbers[i].push_back(shown[i]);
    }
    NumberTable table;
    table.add("names", genes);
    const char* const of_numbers[] = {"scores",    "logfoldchanges", "pvals",
                                      "pvals_adj", "pct_nz_group",   "pct_nz_reference"};
    for (size_t i = 0; i < numbers.size(); ++i) table.add(of_numbers[i], numbers[i]);
    return table.finish();
  }

  const Query& query_;
  const GeneMatrix& matrix_;
  PageModel& page_;
  Level level_;
};

}  // namespace

MarkersPtr wait_for_markers(const Query& query, const PageCellsPtr& cells, MarkerRuns& runs,
                            const std::shared_ptr<WorkBudget>& budget, const MarkerRuns::Watch& watch) {
  if (!cells->has_genes()) return nullptr;
  const GeneMatrix& matrix = matrix_asked(query, *cells);
  const std::string key = key_of(query, matrix);
  if (MarkersPtr kept = cells->kept_markers(key)) return kept;
  const auto make = [query, cells, &matrix, budget](RunProgress& progress) {
    std::vector<Problem> problems;  // for the page
    const std::optional<Level> level = choose_level(query, *cells, problems);
    return level ? compare_genes(*cells, matrix, *level, *budget, progress) : Markers();
  };
  MarkersPtr markers = runs.wait(fmt::format("{}\n{}", fmt::ptr(cells.get()), key), make, watch);
  if (!markers->genes.empty() || markers->left_out > 0) cells->keep_markers(key, markers);
  return markers;
}

std::string text_for_waiting(const Query& query, const PageCells& cells) {
  return fmt::format("Comparing {} genes in {} cells",
                     count_text(matrix_asked(query, cells).genes()->count()),
                     count_text(cells.matrix().cells));
}

void add_markers(const Query& query, const PageCells& cells, const MarkersPtr& markers, PageModel& page) {
  MarkersSection(query, cells, page).add(cells, markers);
}

}  // namespace plainfs::serve
