#include "fs/serve/pages/table/table_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "cache/request.h"
#include "formats/annotated/cell_groups.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/text/percent.h"
#include "fs/report/words.h"
#include "fs/serve/pages/model/first_rows.h"
#include "fs/serve/pages/model/nearest.h"
#include "fs/serve/pages/model/statistics.h"
#include "fs/serve/pages/table/row_order.h"
#include "fs/views/table/flat_columns.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxAskedBytesShown = 60;
constexpr uint64_t kMaxLevelsOffered = 100;
constexpr const char* kRowNames = "_index";  // their name in an address, as in a .parquet

constexpr uint64_t kMaxDifferent = 10'000;
constexpr uint64_t kMaxRanked = uint64_t{1} << 17;  // values from which on the quartiles are of a sample
constexpr uint64_t kValuesAtOnce = uint64_t{1} << 18;
constexpr size_t kShownShares = 3;
constexpr size_t kMaxLevelLetters = 24;
constexpr size_t kMaxFacets = 6, kMaxFacetLevels = 12;

// A survey of a column (Array::survey).
struct SummaryLine {
  std::string text;
};

std::string summary_of_numbers(const Array& column) {
  const uint64_t count = column.count();
  Counting counting(std::max<uint64_t>(1, count / kMaxRanked));
  std::vector<double> values;
  for (uint64_t first = 0; first < count; first += kValuesAtOnce) {
    check_cancelled();
    values.clear();
    append_doubles(column.dtype(), column.read(range(first, std::min(kValuesAtOnce, count - first))), values);
    counting.add(values);
  }
  return summary_text(counting.finish());
}

// The shares are of all rows, also of those without a level.
std::string summary_of_levels(const Array& column) {
  const std::optional<CellGroups> groups = cell_groups(column, kMaxDifferent);
  if (!groups) return fmt::format("more than {} different", count_text(kMaxDifferent));
  std::vector<uint64_t> counts(groups->levels.size(), 0);
  uint64_t missing = 0;
  for (const uint32_t level : groups->cells) ++(level == CellGroups::kNone ? missing : counts[level]);
  const std::string end = missing == 0 ? "" : fmt::format("; {} missing", count_text(missing));
  if (counts.empty()) return "no value" + end;
  std::vector<size_t> order(counts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return counts[a] > counts[b]; });
  std::string text = count_text(counts.size(), "level");
  for (size_t i = 0; i < std::min(order.size(), kShownShares); ++i)
    text += fmt::format(
        "{}{} {}", i == 0 ? ": " : ", ", shortened(groups->levels[order[i]], kMaxLevelLetters),
        share_text(static_cast<double>(counts[order[i]]) / static_cast<double>(groups->cells.size())));
  return text + (order.size() > kShownShares ? ", …" : "") + end;
}

// Returns "77 to 150, median 110, quartiles 99 and 121", "8 levels: Naive T 24 %, CD14+ Mono 20 %, …" or
// "more than 10,000 different"; empty for a column with neither numbers nor levels. Reads the whole column
// once and keeps the line as long as the array. Throws the errors of reading.
std::string column_summary(const Array& column) {
  const ColumnLevels levels = levels_of(column);
  if (column.shape().size() != 1 || levels == ColumnLevels::none) return {};
  const bool are_numbers = levels == ColumnLevels::numbers && column.dtype().is_numeric();
  if (levels == ColumnLevels::numbers && !are_numbers) return {};
  return column
      .survey<SummaryLine>(
          0,
          [&] { return SummaryLine{are_numbers ? summary_of_numbers(column) : summary_of_levels(column)}; })
      ->text;
}

class TablePage {
 public:
  TablePage(const Query& query, const Table& table, const TableParts& parts, PageModel& page)
      : query_(query), table_(table), parts_(parts), columns_(flat_columns(table)), page_(page) {
    if (table.row_names && !column_of(kRowNames)) names_ = Column{kRowNames, table.row_names};
  }

  void add() {
    from_ = query_.number("from").value_or(0);
    if (query_.value("from") && !query_.number("from"))
      add_problem(fmt::format("'{}' is not a row.", shown(*query_.value("from"))), {"0"}, "from");
    choose_filter();
    choose_names();
    if (parts_.rows) keep_rows(*parts_.rows);
    choose_order();
    all_ = filter_ ? filter_->size() : table_.rows;
    if (from_ > 0 && from_ >= all_) {
      add_problem(fmt::format("No row {}: there are {} rows.", count_text(from_), count_text(all_)),
                  {std::to_string(all_ == 0 ? 0 : (all_ - 1) / kRowsOnPage * kRowsOnPage)}, "from");
      from_ = 0;
    }
    add_form();
    add_facets();
    add_rows();
    if (all_ > kRowsOnPage) page_.add(Pager{query_, "rows", from_, kRowsOnPage, all_});
  }

  std::vector<uint32_t> asked_rows() {
    choose_filter();
    choose_names();
    choose_order();
    if (!page_.problems.empty()) return {};
    if (order_) {
      const uint64_t count = filter_ ? filter_->size() : table_.rows;
      return sorted_rows(*order_->values, falls_, filter_ ? &*filter_ : nullptr, 0, count);
    }
    return filter_.value_or(std::vector<uint32_t>());
  }

 private:
  static std::string shown(const std::string& text) { return shortened(text, kMaxAskedBytesShown); }
  std::string href(std::string_view name, std::string_view value) const {
    return query_.with("from", {}).with(name, value).href();
  }

  void add_problem(std::string text, const std::vector<std::string>& near, std::string_view name) {
    Problem problem{std::move(text)};
    for (const std::string& each : near) problem.near.push_back({each, href(name, each)});
    page_.problems.push_back(std::move(problem));
  }

  std::vector<std::string> column_names() const {
    std::vector<std::string> names;
    for (const Column& column : columns_) names.push_back(column.name);
    if (names_) names.push_back(names_->name);
    return names;
  }

  const Column* column_of(const std::string& name) const {
    if (const Column* const found = find_column(columns_, name)) return found;
    return names_ && names_->name == name ? &*names_ : nullptr;
  }

  std::string text_for(const Column& column) const {
    return names_ && &column == &*names_ ? std::string("name") : column.name;
  }

  bool is_too_long(const char* what) {
    if (table_.rows <= kMaxSortedRows) return false;
    add_problem(fmt::format("A table of {} rows is too long to be {}.", count_text(table_.rows), what), {},
                {});
    return true;
  }

  void keep_rows(const std::vector<uint32_t>& rows) {
    if (!filter_) return void(filter_ = rows);
    std::vector<uint32_t> both;
    std::set_intersection(filter_->begin(), filter_->end(), rows.begin(), rows.end(),
                          std::back_inserter(both));
    filter_ = std::move(both);
  }

  // A condition of the address: "leiden:3", "n_genes:200..5000".
  struct Condition {
    const Column* column = nullptr;  // null: the table has no such column
    std::string wanted{};
    std::string text{};
  };

  // The name of a column may contain colons itself.
  std::vector<Condition> conditions() const {
    std::vector<Condition> conditions;
    for (const std::string& where : query_.values("where")) {
      Condition condition{nullptr, {}, where};
      for (size_t colon = where.find(':'); colon != std::string::npos && !condition.column;
           colon = where.find(':', colon + 1)) {
        condition.column = column_of(where.substr(0, colon));
        condition.wanted = where.substr(colon + 1);
      }
      conditions.push_back(std::move(condition));
    }
    return conditions;
  }

  void choose_filter() {
    for (const Condition& condition : conditions()) {
      if (is_too_long("filtered")) return;
      if (!condition.column) {
        add_column_problem(condition.text);
        continue;
      }
      if (const std::optional<std::vector<uint32_t>> rows = rows_of(condition))
        keep_rows(*rows);
      else
        add_level_problem(*condition.column, condition.wanted);
    }
  }

  // Returns nullopt if the column has no such level, or the text is no range of numbers.
  static std::optional<std::vector<uint32_t>> rows_of(const Condition& condition) {
    const Array& values = *condition.column->values;
    if (levels_of(values) == ColumnLevels::none) return std::nullopt;
    const size_t dots = condition.wanted.find("..");
    if (dots == std::string::npos || !values.dtype().is_numeric() || values.shape().size() != 1)
      return rows_with_level(values, condition.wanted);
    const std::optional<double> low = end_of_range(condition.wanted.substr(0, dots), -INFINITY),
                                high = end_of_range(condition.wanted.substr(dots + 2), INFINITY);
    if (!low || !high) return std::nullopt;
    return rows_between(values, *low, *high);
  }

  static std::optional<double> end_of_range(const std::string& text, double otherwise) {
    return text.empty() ? otherwise : Query("").with("end", text).decimal("end");
  }

  void add_column_problem(const std::string& where) {
    const std::string column = where.substr(0, where.find(':'));
    std::vector<std::string> near = nearest_names(column, column_names());
    add_problem(fmt::format("No column '{}' to filter by.", shown(column)), {}, {});
    for (const std::string& name : near) page_.problems.back().near.push_back({name, href("sort", name)});
  }

  // Adds the levels of columns that have few, each with its number of rows among those shown. A level is a
  // link that adds the condition or takes it away.
  void add_facets() {
    if (table_.rows > kMaxSortedRows || table_.rows <= kMaxRows) return;
    std::vector<Picks> facets;
    for (const Column& column : columns_) {
      if (facets.size() >= kMaxFacets) break;
      if (levels_of(*column.values) != ColumnLevels::few) continue;
      const std::optional<CellGroups> groups = cell_groups(*column.values, kMaxFacetLevels);
      if (groups && groups->levels.size() > 1) facets.push_back(facet_of(column, *groups));
    }
    if (!facets.empty()) page_.add(std::move(facets));
  }

  Picks facet_of(const Column& column, const CellGroups& groups) const {
    std::vector<uint64_t> counts(groups.levels.size(), 0);
    const auto count = [&](size_t row) {
      if (groups.cells[row] != CellGroups::kNone) ++counts[groups.cells[row]];
    };
    if (filter_)
      for (const uint32_t row : *filter_) count(row);
    else
      for (size_t row = 0; row < groups.cells.size(); ++row) count(row);
    Picks facet{"Only " + column.name, {}};
    for (size_t level = 0; level < groups.levels.size(); ++level) {
      const std::string condition = column.name + ":" + groups.levels[level];
      Query query = query_.with("from", {}).with("where", {});
      bool is_chosen = false;
      for (const Condition& other : conditions())
        if (other.text == condition)
          is_chosen = true;
        else if (other.column != &column)
          query = query.with_more("where", other.text);
      if (!is_chosen) query = query.with_more("where", condition);
      const std::string label =
          fmt::format("{} {}", shortened(groups.levels[level], kMaxLevelLetters), count_text(counts[level]));
      if (is_chosen) facet.current = label;
      if (is_chosen || counts[level] > 0 || !filter_) facet.links.push_back({label, query.href()});
    }
    return facet;
  }

  // Keeps the rows with a name that contains the text of the address.
  void choose_names() {
    const std::string part = query_.value("find").value_or("");
    if (part.empty()) return;
    if (!names_) return add_problem("The rows have no names to find.", {}, {});
    if (is_too_long("searched")) return;
    const std::vector<uint32_t> rows = rows_holding(*names_->values, part);
    if (rows.empty()) {
      Problem problem{fmt::format("No name contains '{}'.", shown(part))};
      for (const std::string& each : nearest_levels(*names_, part))
        problem.near.push_back({each, href("find", each)});
      page_.problems.push_back(std::move(problem));
    }
    keep_rows(rows);
  }

  static std::vector<std::string> nearest_levels(const Column& column, const std::string& level) {
    if (levels_of(*column.values) == ColumnLevels::none) return {};
    const std::optional<CellGroups> groups = cell_groups(*column.values, kMaxSortedTexts);
    return groups ? nearest_names(level, groups->levels) : std::vector<std::string>();
  }

  void add_level_problem(const Column& column, const std::string& level) {
    std::vector<std::string> near = nearest_levels(column, level);
    for (std::string& each : near) each.insert(0, column.name + ":");
    add_problem(fmt::format("No row has '{}' as its {}.", shown(level), text_for(column)), near, "where");
  }

  void choose_order() {
    std::optional<std::string> sort = query_.value("sort");
    if (!sort || is_too_long("sorted")) return;
    falls_ = sort->starts_with('-') && !column_of(*sort);
    const std::string name = sort->substr(falls_ ? 1 : 0);
    const Column* const column = column_of(name);
    if (!column)
      return add_problem(fmt::format("No column '{}' to sort by.", shown(name)),
                         nearest_names(name, column_names()), "sort");
    if (levels_of(*column->values) == ColumnLevels::none)
      return add_problem(fmt::format("The values of {} cannot be sorted.", text_for(*column)), {}, {});
    order_ = column;
  }

  void add_form() {
    Form form;
    form.fields = parts_.fields;
    const bool can_be_ordered = table_.rows > kMaxRows && table_.rows <= kMaxSortedRows;
    if (can_be_ordered) add_order_fields(form);
    if (form.fields.empty()) return;
    std::vector<std::string> names = {"from"};
    for (const FormField& field : form.fields) names.push_back(field.name);
    if (can_be_ordered) names.push_back("where");
    for (auto& field : query_.rest(names)) form.hidden.push_back(std::move(field));
    page_.add(std::move(form));
  }

  void add_order_fields(Form& form) const {
    FormField sort{"Sort by", "sort", query_.value("sort").value_or("")};
    sort.is_choice = true;
    sort.options.push_back({"", "order of the store"});
    if (can_sort_by_name()) {
      sort.options.push_back({kRowNames, "row name, lowest first"});
      sort.options.push_back({std::string("-") + kRowNames, "row name, highest first"});
    }
    for (const Column& column : columns_) {
      if (levels_of(*column.values) == ColumnLevels::none) continue;
      sort.options.push_back({column.name, column.name + ", lowest first"});
      sort.options.push_back({"-" + column.name, column.name + ", highest first"});
    }
    form.fields.push_back(std::move(sort));
    const std::vector<std::string> conditions = query_.values("where");
    FormField where{"Only rows with", "where", conditions.size() == 1 ? conditions[0] : ""};
    // The field takes one more condition if there are several.
    for (size_t i = 0; i < conditions.size() && conditions.size() > 1; ++i)
      form.hidden.emplace_back("where", conditions[i]);
    where.options = offered_levels();
    if (!where.options.empty() || !where.value.empty()) form.fields.push_back(std::move(where));
    if (names_) form.fields.push_back({"Find by name", "find", query_.value("find").value_or("")});
  }

  bool can_sort_by_name() const { return names_ && levels_of(*names_->values) != ColumnLevels::none; }

  // Returns the levels of the columns that have few of them.
  std::vector<FormField::Option> offered_levels() const {
    std::vector<FormField::Option> options;
    for (const Column& column : columns_) {
      if (levels_of(*column.values) != ColumnLevels::few || options.size() >= kMaxLevelsOffered) continue;
      const std::optional<CellGroups> groups = cell_groups(*column.values, kMaxLevelsOffered);
      if (!groups) continue;
      for (const std::string& level : groups->levels)
        if (options.size() < kMaxLevelsOffered) options.push_back({column.name + ":" + level, {}});
    }
    return options;
  }

  std::vector<uint32_t> filtered_rows() const {
    const uint64_t count = std::min(kRowsOnPage, all_ - from_);
    const auto first = filter_->begin() + static_cast<ptrdiff_t>(from_);
    return {first, first + static_cast<ptrdiff_t>(count)};
  }

  Grid grid_of(const std::vector<Column>& shown_columns) {
    if (order_) {
      try {
        return chosen_grid(
            table_, shown_columns,
            sorted_rows(*order_->values, falls_, filter_ ? &*filter_ : nullptr, from_, kRowsOnPage));
      } catch (const Error& error) {
        if (!is_unsupported(error)) throw;
        add_problem(fmt::format("{}: {}.", text_for(*order_), error.what()), {}, {});
        order_ = nullptr;
      }
    }
    return filter_ ? chosen_grid(table_, shown_columns, filtered_rows())
                   : grid_from(table_, shown_columns, from_, std::min(kRowsOnPage, all_ - from_));
  }

  void add_rows() {
    const uint64_t first_column =
        std::min<uint64_t>(query_.number("columns").value_or(0), columns_.empty() ? 0 : columns_.size() - 1);
    const uint64_t end_column = std::min<uint64_t>(first_column + kColumnsOnPage, columns_.size());
    const std::vector<Column> shown_columns(columns_.begin() + static_cast<ptrdiff_t>(first_column),
                                            columns_.begin() + static_cast<ptrdiff_t>(end_column));
    std::vector<Column> all_columns = shown_columns;
    all_columns.insert(all_columns.end(), parts_.more.begin(), parts_.more.end());
    Grid grid = grid_of(all_columns);
    grid.caption = caption();
    if (shown_columns.size() < columns_.size())
      grid.caption +=
          fmt::format(", columns {} to {} of {}", first_column + 1, end_column, count_text(columns_.size()));
    add_headers(shown_columns, grid);
    if (shown_columns.size() < columns_.size()) add_column_links(first_column, end_column);
    page_.add(std::move(grid));
  }

  void add_column_links(uint64_t first_column, uint64_t end_column) {
    Picks picks{"Columns", {}, fmt::format("{} to {}", first_column + 1, end_column)};
    for (uint64_t first = 0; first < columns_.size(); first += kColumnsOnPage)
      picks.links.push_back(
          {fmt::format("{} to {}", first + 1, std::min<uint64_t>(first + kColumnsOnPage, columns_.size())),
           query_.with("columns", first == 0 ? "" : std::to_string(first)).href()});
    page_.add(std::vector{std::move(picks)});
  }

  // Each header is a link that sorts by it, or reverses the current order. The summaries are of the rows that
  // the filter selects.
  void add_headers(const std::vector<Column>& shown_columns, Grid& grid) {
    if (can_sort_by_name() && table_.rows <= kMaxSortedRows) add_order(*names_, grid.header[0]);
    const Indices shown_rows =
        filter_ ? std::make_shared<const std::vector<uint64_t>>(filter_->begin(), filter_->end()) : nullptr;
    for (size_t i = 0; i < shown_columns.size(); ++i) {
      const Column& column = shown_columns[i];
      Grid::Header& header = grid.header[i + 1];
      if (levels_of(*column.values) != ColumnLevels::none && table_.rows <= kMaxSortedRows)
        add_order(column, header);
      if (table_.rows <= kMaxSortedRows && column.values->shape().size() == 1)
        header.summary = column_summary(shown_rows ? *subset(column.values, 0, shown_rows) : *column.values);
    }
  }

  void add_order(const Column& column, Grid::Header& header) const {
    const bool is_order = order_ && order_->name == column.name;
    header.href = href("sort", is_order && !falls_ ? "-" + column.name : column.name);
    if (is_order) header.mark = falls_ ? " ▼" : " ▲";
  }

  std::string caption() const {
    if (all_ == 0) return "No rows" + parts_.text;
    const uint64_t end = std::min(from_ + kRowsOnPage, all_);
    std::string text =
        all_ == 1                   ? "1 row"
        : from_ == 0 && end == all_ ? fmt::format("All {} rows", count_text(all_))
        : from_ == 0
            ? fmt::format("The first {} of {} rows", count_text(end), count_text(all_))
            : fmt::format("Rows {} to {} of {}", count_text(from_ + 1), count_text(end), count_text(all_));
    text += parts_.text;
    const std::vector<std::string> wanted = query_.values("where");
    for (size_t i = 0; filter_ && i < wanted.size(); ++i)
      text += (i == 0 ? " with " : " and ") + shown(wanted[i]);
    if (names_ && !query_.value("find").value_or("").empty())
      text += fmt::format(" with '{}' in the name", shown(*query_.value("find")));
    if (order_) text += fmt::format(", by {}, {} first", text_for(*order_), falls_ ? "highest" : "lowest");
    return text;
  }

  const Query& query_;
  const Table& table_;
  const TableParts& parts_;
  const std::vector<Column> columns_;
  std::optional<Column> names_;  // of the rows, as a column
  PageModel& page_;
  uint64_t from_ = 0, all_ = 0;
  const Column* order_ = nullptr;
  bool falls_ = false;
  std::optional<std::vector<uint32_t>> filter_;
};

}  // namespace

std::vector<uint32_t> asked_rows(const Query& query, const Table& table) {
  std::vector<Problem> problems;
  std::vector<uint32_t> rows = asked_rows(query, table, problems);
  if (!problems.empty()) throw not_found("{}", problems[0].text);
  return rows;
}

std::vector<uint32_t> asked_rows(const Query& query, const Table& table, std::vector<Problem>& problems) {
  PageModel page;  // for the problems
  std::vector<uint32_t> rows = TablePage(query, table, {}, page).asked_rows();
  std::move(page.problems.begin(), page.problems.end(), std::back_inserter(problems));
  return rows;
}

void add_table(const Query& query, const Table& table, PageModel& page) {
  add_table(query, table, {}, page);
}

void add_table(const Query& query, const Table& table, const TableParts& parts, PageModel& page) {
  TablePage(query, table, parts, page).add();
}

}  // namespace plainfs::serve
