#include "fs/serve/pages/folder/cells_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/json.h"
#include "formats/core/text/printable.h"
#include "fs/serve/pages/cells/cell_colour.h"
#include "fs/serve/pages/cells/cells_page.h"
#include "fs/serve/pages/cells/embeddings.h"
#include "fs/serve/pages/cells/region.h"
#include "fs/serve/pages/folder/chosen_cells.h"
#include "fs/serve/pages/folder/page_state.h"
#include "fs/serve/pages/model/nearest.h"
#include "fs/serve/pages/model/subject.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxNamesFound = 20, kMaxTyped = 100;
constexpr uint64_t kBytesOfAPlace = 64;  // of a cell: its place, twice, and its colour

void answer_json_of_cells(const Exchange& exchange, int status, Json json) {
  exchange.reply.add("Cache-Control", status == 200 ? "no-cache" : "no-store");
  exchange.reply.whole(status, "application/json", to_json_text(std::move(json)) + "\n");
}

void refuse_question(const Exchange& exchange, const std::string& why) {
  answer_json_of_cells(exchange, 400, Json::Object{{"message", why}});
}

// Names without repetition, in order.
class NamesFound {
 public:
  void add(std::string_view name) {
    const bool is_new =
        std::none_of(names_.begin(), names_.end(), [&](const std::string& known) { return known == name; });
    if (is_new) names_.emplace_back(name);
  }
  bool is_full() const { return names_.size() >= kMaxNamesFound; }
  Json::List json() const {
    Json::List list;
    for (const std::string& name : names_) list.emplace_back(printable(name));
    return list;
  }

 private:
  std::vector<std::string> names_;
};

void suggest(const PageCells& cells, const std::vector<const GeneMatrix*>& matrices, std::string_view typed,
             NamesFound& found) {
  const auto begins = [&](std::string_view name) {
    return name.size() >= typed.size() && is_same_in_any_case(name.substr(0, typed.size()), typed);
  };
  for (const bool is_first : {true, false}) {
    const auto take = [&](std::string_view name) {
      if (begins(name) == is_first && (is_first || holds_in_any_case(name, typed))) found.add(name);
    };
    for (const std::string& column : colour_names(cells.matrix()))
      if (!found.is_full()) take(column);
    for (const GeneMatrix* const matrix : matrices) {
      const std::shared_ptr<const PartNames> genes = matrix->genes();
      for (uint64_t gene = 0; gene < genes->count() && !found.is_full(); ++gene) take(genes->label(gene));
    }
  }
}

// Returns the text of the colour of a cell; nullopt if it has none.
std::optional<std::string> value_of_cell(const CellColour& colour, size_t cell) {
  if (colour.groups) {
    const uint32_t level = colour.groups->cells[cell];
    return level == CellGroups::kNone ? "missing" : colour.groups->levels[level];
  }
  return std::isnan(colour.numbers[cell]) ? "missing" : number_text(colour.numbers[cell]);
}

std::optional<size_t> nearest_cell(const CellPlaces& places, Spot wanted) {
  std::optional<size_t> nearest;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < places.x.size(); ++i) {
    const double distance = std::hypot(places.x[i] - wanted.x, places.y[i] - wanted.y);
    if (!(distance < least)) continue;
    least = distance;
    nearest = i;
  }
  return nearest;
}

std::string embedding_asked(const Query& query, const AnnotatedMatrix& matrix) {
  const std::vector<std::string> names = embedding_names(matrix);
  const std::string asked = query.value("embedding").value_or("");
  for (const std::string& name : names)
    if (name == asked || name == "X_" + asked) return name;
  return names.empty() ? std::string() : names[0];
}

void answer_nearest(const Exchange& exchange, const Query& query, const PageCells& cells, Spot wanted) {
  const AnnotatedMatrix& matrix = cells.matrix();
  const WorkBudget::Share share = exchange.settings.work->take_for(matrix.cells, kBytesOfAPlace);
  const std::optional<CellPlaces> places = places_of(matrix, embedding_asked(query, matrix), matrix.cells);
  const std::optional<size_t> cell = places ? nearest_cell(*places, wanted) : std::nullopt;
  if (!cell) return answer_json_of_cells(exchange, 200, Json::Object());
  std::string name = std::to_string(*cell);
  if (matrix.obs.row_names) {
    name.clear();
    append_plain(matrix.obs.row_names->dtype(), matrix.obs.row_names->read(range(*cell, 1)), 0, name);
  }
  Json::Object found{
      {"cell", printable(name)}, {"x", Json::of(places->x[*cell])}, {"y", Json::of(places->y[*cell])}};
  const std::vector<std::string> columns = colour_names(matrix);
  const std::string shown = query.value("color").value_or(columns.empty() ? "" : columns[0]);
  const GeneMatrix* const chosen = cells.matrix_of(query.value("matrix").value_or(""));
  const std::optional<CellColour> colour = shown.empty() ? std::nullopt : cell_colour(cells, shown, chosen);
  if (colour) {
    found.emplace_back("of", printable(colour->title()));
    found.emplace_back("value", printable(*value_of_cell(*colour, *cell)));
  }
  answer_json_of_cells(exchange, 200, std::move(found));
}

}  // namespace

bool answer_cells_question(const Exchange& exchange, const Site::Place& place) {
  const Query query(exchange.target.query);
  const bool asks_names = query.has("names"), asks_near = query.has("near");
  if ((!asks_names && !asks_near) || !place.filesystem) return false;
  const std::string typed = query.value("names").value_or("");
  if (asks_names && (typed.empty() || typed.size() > kMaxTyped)) {
    refuse_question(exchange, fmt::format("names: expected 1 to {} bytes", kMaxTyped));
    return true;
  }
  const std::vector<double> near = numbers_in_list(query.value("near").value_or(""));
  if (asks_near && near.size() != 2) {
    refuse_question(exchange, "near: expected X,Y, two numbers");
    return true;
  }
  const Subject subject = folder_subject(exchange, place);
  const std::optional<CellsPlace> found = cells_place(exchange, subject);
  const PageCellsPtr all = found ? exchange.pages.cells.of(*place.filesystem, found->directory) : nullptr;
  if (!all) throw not_found("no annotated matrix here");
  if (asks_names) {
    const GeneMatrix* const chosen = all->matrix_of(query.value("matrix").value_or(""));
    NamesFound suggestions;
    suggest(*all, chosen ? std::vector{chosen} : all->searched(), typed, suggestions);
    answer_json_of_cells(exchange, 200, suggestions.json());
    return true;
  }
  PageModel page;  // for the problems, which the page itself has shown
  const PageCellsPtr some = chosen_cells(exchange, *found, *place.filesystem, all, page);
  answer_nearest(exchange, query, *some, {near[0], near[1]});
  return true;
}

}  // namespace plainfs::serve
