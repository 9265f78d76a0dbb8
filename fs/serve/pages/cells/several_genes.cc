#include "fs/serve/pages/cells/several_genes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cache/request.h"
#include "formats/core/text/printable.h"
#include "fs/report/words.h"
#include "fs/serve/pages/cells/distribution.h"
#include "fs/serve/pages/cells/scatter.h"
#include "fs/serve/pages/model/nearest.h"
#include "fs/serve/pages/model/number_table.h"
#include "fs/serve/plots/mark_grid.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxNameBytesShown = 60;
constexpr size_t kMaxViolinGenes = 24;
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// The values of two genes in the cells in which both are known.
struct Pair {
  uint64_t cells = 0, both = 0, only_first = 0, only_second = 0;
  double r = kNoValue;  // Pearson's correlation; NaN if a gene does not vary
};

Pair pair_of(const std::vector<double>& a, const std::vector<double>& b) {
  Pair pair;
  double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) continue;
    ++pair.cells;
    pair.both += a[i] > 0 && b[i] > 0;
    pair.only_first += a[i] > 0 && b[i] <= 0;
    pair.only_second += a[i] <= 0 && b[i] > 0;
    const auto n = static_cast<double>(pair.cells);
    const double from_a = a[i] - mean_a, from_b = b[i] - mean_b;
    mean_a += from_a / n;
    mean_b += from_b / n;
    aa += from_a * (a[i] - mean_a);
    bb += from_b * (b[i] - mean_b);
    ab += from_a * (b[i] - mean_b);
  }
  if (aa > 0 && bb > 0) pair.r = ab / std::sqrt(aa) / std::sqrt(bb);
  return pair;
}

Figure pair_figure(const CellColour& a, const CellColour& b) {
  const Pair pair = pair_of(a.numbers, b.numbers);
  const uint64_t step = std::max<uint64_t>(1, (a.numbers.size() + kMaxPoints - 1) / kMaxPoints);
  Dots dots{{}, Ink::group(0), 3};
  std::vector<double> x, y;
  for (size_t i = 0; i < a.numbers.size(); i += step) {
    dots.spots.push_back({a.numbers[i], b.numbers[i]});
    x.push_back(a.numbers[i]);
    y.push_back(b.numbers[i]);
  }
  Plot plot{"pair",
            fmt::format("{} against {} in {} cells", b.title(), a.title(), count_text(pair.cells)),
            fmt::format("{} cells with both above zero, {} with {} alone, {} with {} alone; {}.",
                        count_text(pair.both), count_text(pair.only_first), a.name,
                        count_text(pair.only_second), b.name,
                        std::isnan(pair.r) ? std::string("no correlation, because one of them does not vary")
                                           : fmt::format("Pearson's r is {:.3f}", pair.r)),
            {a.title(), range_of(x, 0).value_or(Interval{})},
            {b.title(), range_of(y, 0).value_or(Interval{})}};
  plot.marks.emplace_back(std::move(dots));
  std::string caption = plot.title + ": " + plot.description;
  if (step > 1) caption += fmt::format(" One of {} cells is drawn.", count_text(step));
  return {fmt::format("{} and {}", a.name, b.name), svg_of(plot), caption};
}

class SeveralGenes {
 public:
  SeveralGenes(const Query& query, const PageCells& cells, const std::vector<std::string>& names,
               const GeneMatrix* matrix, const GenesBy& by, PageModel& page)
      : query_(query), cells_(cells), names_(names), matrix_(matrix), by_(by), page_(page) {}

  void add() {
    for (size_t i = 0; i < std::min(names_.size(), kMaxGenesOnPage); ++i) {
      check_cancelled();
      if (std::optional<CellColour> colour = colour_of(i)) take(*std::move(colour));
    }
    add_rest_of_problems();
    add_panels();
    if (count_ == 2) page_.add(pair_figure(pair_[0], pair_[1]));
    if (distributions_.empty()) return;
    add_dots();
    add_violins();
    if (query_.has("numbers")) page_.add(Attachment{"genes_by_level", numbers_by_level(distributions_)});
    page_.add(Forms{"Download the numbers", number_files(query_)});
    page_.add(std::move(distributions_));
  }

 private:
  std::optional<CellColour> colour_of(size_t number) {
    const std::string& name = names_[number];
    try {
      std::optional<CellColour> colour = cell_colour(cells_, name, matrix_);
      if (colour && !colour->groups) return colour;
      if (colour)
        add_problem(fmt::format("{} has levels, and a list takes genes and columns of numbers.",
                                shortened(name, kMaxNameBytesShown)));
      else
        add_unknown(number);
    } catch (const Error& error) {
      if (error.code() == Errc::changed) throw;
      add_problem(error.what());
    }
    return std::nullopt;
  }

  // Returns null if the page has no room for the problem.
  Problem* add_problem(std::string text) {
    if (page_.problems.size() >= kMaxNearest) {
      ++more_problems_;
      return nullptr;
    }
    page_.problems.push_back({std::move(text)});
    return &page_.problems.back();
  }

  void add_unknown(size_t number) {
    const std::string& name = names_[number];
    Problem* const problem =
        add_problem(fmt::format("No gene or column '{}'.", shortened(name, kMaxNameBytesShown)));
    if (!problem) return;
    for (const std::string& near : nearest_colours(cells_, name, matrix_)) {
      std::string list;
      for (size_t i = 0; i < names_.size(); ++i)
        list += (i == 0 ? "" : ",") + (i == number ? near : names_[i]);
      problem->near.push_back({near, query_.with("color", list).href()});
    }
  }

  void add_rest_of_problems() {
    if (more_problems_ > 0)
      page_.problems.push_back({fmt::format("{} more of the names are no genes or columns of numbers.",
                                            count_text(more_problems_))});
    if (names_.size() > kMaxGenesOnPage)
      page_.problems.push_back({fmt::format("{} names are too many for a page, which shows the first {}.",
                                            count_text(names_.size()), kMaxGenesOnPage)});
  }

  void take(CellColour colour) {
    ++count_;
    if (by_.places && panels_.size() < kMaxPanels) panels_.push_back(panel_of(*by_.places, colour));
    if (by_.groups) distributions_.push_back(distribution_in_order(colour, by_.column, *by_.groups));
    if (count_ <= 2)
      pair_.push_back(std::move(colour));
    else
      pair_.clear();
  }

  void add_panels() {
    if (panels_.empty()) return;
    std::string html = fmt::format("<div class=\"panels{}\">", panels_.size() <= 4 ? " large" : "");
    for (const std::string& panel : panels_) html += panel;
    std::string caption =
        fmt::format("{} and {} of {} cells, coloured by each gene on a scale of its own", by_.places->x_name,
                    by_.places->y_name, count_text(cells_.matrix().cells));
    if (by_.places->step > 1)
      caption += fmt::format("; one of {} cells is shown", count_text(by_.places->step));
    if (panels_.size() < count_) caption += fmt::format("; the first {} of {} genes", panels_.size(), count_);
    page_.add(Figure{"Side by side", html + "</div>", std::move(caption)});
  }

  MarkGrid grid(const char* id, const char* what, size_t genes) const {
    MarkGrid grid{id, fmt::format("{} of {} genes by {}", what, genes, by_.column), {}, {}, {}};
    for (const LevelRow& row : distributions_[0].rows)
      grid.rows.push_back(row.is_missing ? "missing" : row.name);
    for (size_t i = 0; i < genes; ++i) grid.columns.push_back(distributions_[i].of);
    return grid;
  }

  // Returns the range of the means of all levels, or of those of one gene.
  Interval range_of_means(const Distribution* one) const {
    std::vector<double> means;
    for (const Distribution& gene : distributions_)
      for (const LevelRow& row : gene.rows)
        if ((!one || one == &gene) && row.numbers.values > 0) means.push_back(row.numbers.mean);
    return range_of(std::move(means), 0).value_or(Interval{});
  }

  void add_dots() {
    const bool is_scaled = query_.value("scale") == "gene";
    MarkGrid dots = grid("dots", "Share above zero and mean", distributions_.size());
    std::vector<Interval> ranges;
    for (const Distribution& gene : distributions_)
      ranges.push_back(range_of_means(is_scaled ? &gene : nullptr));
    std::vector<MarkGrid::Dot> marks;
    for (size_t row = 0; row < dots.rows.size(); ++row)
      for (size_t i = 0; i < distributions_.size(); ++i) {
        const Statistics& numbers = distributions_[i].rows[row].numbers;
        marks.push_back(
            {numbers.values == 0 ? kNoValue : numbers.share_above(), ranges[i].part(numbers.mean)});
      }
    dots.description = "The numbers are in the table below.";
    const std::string key = is_scaled
                                ? scale_key("least", "greatest", "mean of each gene")
                                : scale_key(number_text(ranges[0].low), number_text(ranges[0].high), "mean");
    page_.add(Figure{
        "Dot plot", dots_svg(dots, marks) + key,
        "The area of a dot is the share of the cells with a value above zero; its colour is the mean"});
    Picks scales{
        "Colours from the least to the greatest mean", {}, is_scaled ? "of each gene" : "of all genes"};
    scales.links = {{"of all genes", query_.with("scale", {}).href()},
                    {"of each gene", query_.with("scale", "gene").href()}};
    page_.add(std::vector{std::move(scales)});
  }

  void add_violins() {
    const size_t genes = std::min(distributions_.size(), kMaxViolinGenes);
    MarkGrid violins = grid("violins", "Distributions", genes);
    std::vector<std::vector<double>> shapes;
    for (size_t row = 0; row < violins.rows.size(); ++row)
      for (size_t i = 0; i < genes; ++i) shapes.push_back(distributions_[i].rows[row].shape);
    violins.description = "The numbers are in the table below.";
    std::string caption =
        "A shape is as wide as its cells are many, in 16 steps from the 0.1 to the 99.9 percentile of the "
        "gene";
    if (genes < distributions_.size())
      caption += fmt::format("; the first {} of {} genes", genes, distributions_.size());
    page_.add(Figure{"Violins", violins_svg(violins, shapes), std::move(caption)});
  }

  const Query& query_;
  const PageCells& cells_;
  const std::vector<std::string>& names_;
  const GeneMatrix* const matrix_;
  const GenesBy& by_;
  PageModel& page_;
  size_t count_ = 0;  // genes found
  uint64_t more_problems_ = 0;
  std::vector<std::string> panels_;  // HTML
  std::vector<CellColour> pair_;     // the first two, while there are no more
  std::vector<Distribution> distributions_;
};

}  // namespace

Table numbers_by_level(const std::vector<Distribution>& genes) {
  std::vector<NumberTable::Text> names, matrices, levels;
  std::vector<uint64_t> cells, values;
  std::vector<std::vector<double>> numbers(5);
  for (const Distribution& gene : genes)
    for (const LevelRow& row : gene.rows) {
      names.push_back({gene.of});
      matrices.push_back({gene.matrix});
      levels.push_back({row.name, row.is_missing});
      cells.push_back(row.cells);
      const Statistics& all = row.numbers;
      values.push_back(all.values);
      const double shown[] = {all.share_above(), all.mean, all.quartiles[0], all.quartiles[1],
                              all.quartiles[2]};
      for (size_t i = 0; i < numbers.size(); ++i) numbers[i].push_back(all.values > 0 ? shown[i] : kNoValue);
    }
  NumberTable table;
  table.add("gene", names);
  table.add("matrix", matrices);
  table.add(genes.front().by, levels);
  table.add("cells", cells);
  table.add("values", values);
  const char* const of_numbers[] = {"above_zero", "mean", "quartile1", "median", "quartile3"};
  for (size_t i = 0; i < numbers.size(); ++i) table.add(of_numbers[i], numbers[i]);
  return table.finish();
}

std::vector<std::string> names_in_list(const std::string& text) {
  const bool has_separators = text.find_first_of(",;\t\r\n") != std::string::npos;
  const char* const separators = has_separators ? ",;\t\r\n" : " ";
  std::vector<std::string> names;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of(separators, begin), text.size());
    std::string name = text.substr(begin, end - begin);
    name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
    name.erase(name.find_last_not_of(' ') + 1);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

void add_genes(const Query& query, const PageCells& cells, const std::vector<std::string>& names,
               const GeneMatrix* matrix, const GenesBy& by, PageModel& page) {
  SeveralGenes(query, cells, names, matrix, by, page).add();
}

}  // namespace plainfs::serve
