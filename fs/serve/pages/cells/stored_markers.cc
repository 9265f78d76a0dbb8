#include "fs/serve/pages/cells/stored_markers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cache/request.h"
#include "formats/annotated/cell_groups.h"
#include "formats/annotated/selection.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/number_cast.h"
#include "fs/report/words.h"
#include "fs/serve/pages/cells/kept_cells.h"
#include "fs/serve/pages/model/nearest.h"
#include "fs/serve/pages/model/number_table.h"
#include "fs/serve/plots/plot.h"
#include "fs/views/table/flat_columns.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kStoredOnPage = 100;
constexpr size_t kMaxResults = 8, kMaxDepth = 3, kMaxNodes = 300, kMaxLevelLinks = 60;
constexpr uint64_t kMaxRowsOfFrame = uint64_t{1} << 22, kMaxLevelsOfFrame = 10'000;
constexpr uint64_t kBytesOfNumber = 64;  // of a row: a name, and numbers in two forms
constexpr size_t kMaxBytesOfName = 60;

// The members of scanpy's results, and the names of the columns that sc.get.rank_genes_groups_df gives them.
constexpr const char* kNames = "names";
constexpr std::array<const char*, 4> kNumbers{"scores", "logfoldchanges", "pvals", "pvals_adj"};
constexpr std::array<std::pair<const char*, const char*>, 2> kShares{
    {{"pts", "pct_nz_group"}, {"pts_rest", "pct_nz_reference"}}};

// The columns of FindAllMarkers.
constexpr const char *kClusterOfFrame = "cluster", *kGeneOfFrame = "gene", *kPOfFrame = "p_val";

ArrayPtr records_of(const Node& node) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || array->values->dtype().kind != Kind::compound || array->values->shape().size() != 1)
    return nullptr;
  return array->values;
}

// Returns the columns of a data frame, which may be a table, or a group of vectors of equal lengths.
std::optional<Table> frame_of(const Node& node) {
  if (const auto* table = std::get_if<Table>(&node.content)) {
    Table flat = *table;
    flat.columns = member_columns(*table);
    return flat;
  }
  if (!is_plain_group(node)) return std::nullopt;
  Table frame;
  for (const Member& member : node.parts->members()) {
    const auto* array = std::get_if<LabelledArray>(&member.node.content);
    if (!array || array->values->shape().size() != 1) continue;
    frame.columns.push_back({member.name, labelled_values(*array).values});
    frame.rows = frame.columns.front().values->count();
    if (frame.columns.back().values->count() != frame.rows) return std::nullopt;
  }
  return frame;
}

const Column* column_of_frame(const Table& frame, std::string_view name) {
  const auto found = std::find_if(frame.columns.begin(), frame.columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  return found == frame.columns.end() ? nullptr : &*found;
}

std::vector<std::string> texts_of(const DType& type, const Elements& elements) {
  std::vector<std::string> texts(elements.count);
  for (uint64_t i = 0; i < elements.count; ++i)
    if (!elements.is_missing(i)) append_plain(type, elements, i, texts[i]);
  return texts;
}

// Returns the text of a single value in the parameters of a result; empty without one.
std::string parameter(const GroupPtr& result, const char* name) {
  const GroupPtr params = find_group(*result, "params");
  const ArrayPtr value = params ? find_array(*params, name) : nullptr;
  if (!value || value->count() != 1) return {};
  return texts_of(value->dtype(), read_all(*value))[0];
}

std::string text_of_parameters(const GroupPtr& result) {
  std::string text = parameter(result, "groupby");
  if (const std::string reference = parameter(result, "reference"); !reference.empty())
    text += (text.empty() ? "against " : " against ") + reference;
  if (const std::string method = parameter(result, "method"); !method.empty())
    text += (text.empty() ? "" : ", ") + method;
  const std::string layer = parameter(result, "layer");
  if (!layer.empty() && layer != "None")
    text += ", in layers/" + layer;
  else if (parameter(result, "use_raw") == "TRUE")
    text += ", in raw";
  return text;
}

// A result of scanpy: arrays of records, with a field for each level.
class ScanpyResult {
 public:
  explicit ScanpyResult(GroupPtr group) : group_(std::move(group)) {}

  Table table(const std::vector<std::string>& levels, std::optional<size_t> level) const {
    size_t first = level.value_or(0), end = level ? *level + 1 : levels.size();
    std::vector<NumberTable::Text> names_of_levels;
    std::vector<std::string> genes;
    std::vector<std::pair<size_t, uint64_t>> rows;  // level, row
    const ArrayPtr names = records(kNames);
    if (!names) throw damaged("{}: no names of genes", group_->path());
    const Elements all_names = read_all(*names);
    for (size_t i = first; i < end; ++i) {
      const DType& type = names->dtype().fields[i].type;
      const std::vector<std::string> own = texts_of(type, all_names.children[i]);
      for (uint64_t row = 0; row < own.size(); ++row) {
        // scanpy's filter leaves a NaN, which a file has as that text.
        if (all_names.children[i].is_missing(row) || own[row].empty() || own[row] == "nan") continue;
        names_of_levels.push_back({levels[i]});
        genes.push_back(own[row]);
        rows.emplace_back(i, row);
      }
      check_cancelled();
    }
    NumberTable table;
    if (!level) table.add("group", names_of_levels);
    table.add(kNames, genes);
    for (const char* const name : kNumbers) add_numbers(name, levels, rows, table);
    for (const auto& [member, name] : kShares) add_shares(member, name, levels, rows, genes, table);
    return table.finish();
  }

  ArrayPtr records(const char* name) const {
    const std::optional<Node> node = group_->find(name);
    if (!node) return nullptr;
    if (const auto* error = std::get_if<Error>(&node->content)) throw *error;
    return records_of(*node);
  }

 private:
  // Adds the fields of the levels. They are numbers of one type, and keep all of their digits.
  void add_numbers(const char* name, const std::vector<std::string>& levels,
                   const std::vector<std::pair<size_t, uint64_t>>& rows, NumberTable& table) const {
    const ArrayPtr values = records(name);
    if (!values) return;
    const std::vector<Field>& fields = values->dtype().fields;
    const Elements all = read_all(*values);
    std::vector<size_t> places(levels.size());
    for (size_t level = 0; level < levels.size(); ++level) {
      const auto found = std::find_if(fields.begin(), fields.end(),
                                      [&](const Field& field) { return field.name == levels[level]; });
      if (found == fields.end()) throw damaged("{}/{}: no level {}", group_->path(), name, levels[level]);
      places[level] = static_cast<size_t>(found - fields.begin());
      if (!found->type.is_numeric())
        throw damaged("{}/{}: {} is no number", group_->path(), name, found->type.name());
      if (!(found->type == fields.front().type))
        throw unsupported("{}/{}: levels of several types", group_->path(), name);
    }
    std::vector<std::vector<uint64_t>> chosen(fields.size());
    Elements gathered;
    for (size_t from = 0; from < rows.size();) {
      const size_t level = rows[from].first;
      std::vector<uint64_t> own;
      for (; from < rows.size() && rows[from].first == level; ++from) own.push_back(rows[from].second);
      const Elements& column = all.children[places[level]];
      if (!own.empty() && own.back() >= column.count)
        throw damaged("{}/{}: {} values for {} names", group_->path(), name, column.count, own.back() + 1);
      const Elements some = gather(fields[places[level]].type, column, own);
      append(fields.front().type, gathered, some, 0, some.count);
    }
    table.add(name,
              std::make_shared<MemoryArray>(fields.front().type, Shape{rows.size()}, std::move(gathered)));
  }

  // Adds the shares of the cells, which are a data frame of genes by levels.
  void add_shares(const char* member, const char* name, const std::vector<std::string>& levels,
                  const std::vector<std::pair<size_t, uint64_t>>& rows, const std::vector<std::string>& genes,
                  NumberTable& table) const {
    const std::optional<Node> node = group_->find(member);
    if (!node) return;
    const auto* frame = std::get_if<Table>(&node->content);
    if (!frame || !frame->row_names) return;
    const std::vector<std::string> labels = texts_of(frame->row_names->dtype(), read_all(*frame->row_names));
    std::unordered_map<std::string_view, uint64_t> places;
    for (uint64_t i = 0; i < labels.size(); ++i) places.emplace(labels[i], i);
    std::vector<double> shares;
    std::vector<double> own;
    size_t known = levels.size();
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].first != known) {
        known = rows[i].first;
        const Column* const column = column_of_frame(*frame, levels[known]);
        own.clear();
        if (column && column->values->dtype().is_numeric())
          append_doubles(column->values->dtype(), read_all(*column->values), own);
      }
      const auto place = places.find(genes[i]);
      shares.push_back(place == places.end() || place->second >= own.size()
                           ? std::numeric_limits<double>::quiet_NaN()
                           : own[place->second]);
    }
    table.add(name, shares);
  }

  const GroupPtr group_;
};

std::optional<StoredMarkers> scanpy_result(const std::string& key, const Node& node) {
  if (!is_plain_group(node)) return std::nullopt;
  const auto result = std::make_shared<const ScanpyResult>(node.parts);
  const ArrayPtr names = result->records(kNames);
  if (!names || !node.parts->find("params")) return std::nullopt;
  if (names->count() > kMaxRowsOfFrame)
    throw unsupported("{}: {} rows are too many for markers", key, names->count());
  StoredMarkers found{key, text_of_parameters(node.parts), {}, 0, nullptr};
  for (const Field& field : names->dtype().fields) found.levels.push_back(field.name);
  found.rows = names->count() * found.levels.size();
  found.table = [result, levels = found.levels](std::optional<size_t> level) {
    return result->table(levels, level);
  };
  return found;
}

std::optional<StoredMarkers> seurat_result(const std::string& key, const Node& node, Context& context) {
  const std::optional<Table> frame = frame_of(node);
  if (!frame || !column_of_frame(*frame, kPOfFrame) || !column_of_frame(*frame, kGeneOfFrame))
    return std::nullopt;
  const Column* const cluster = column_of_frame(*frame, kClusterOfFrame);
  if (!cluster || levels_of(*cluster->values) == ColumnLevels::none) return std::nullopt;
  if (frame->rows > kMaxRowsOfFrame)
    throw unsupported("{}: {} rows are too many for markers", key, frame->rows);
  std::optional<CellGroups> groups = cell_groups(*cluster->values, kMaxLevelsOfFrame);
  if (!groups) return std::nullopt;
  StoredMarkers found{key, "as FindAllMarkers writes them", std::move(groups->levels), frame->rows, nullptr};
  const auto codes = std::make_shared<const std::vector<uint32_t>>(std::move(groups->cells));
  found.table = [frame = *frame, codes, &context](std::optional<size_t> level) {
    Table shown = frame;
    shown.row_names = nullptr;  // unique forms of the genes
    if (!level) return shown;
    auto rows = std::make_shared<std::vector<uint64_t>>();
    for (uint64_t row = 0; row < codes->size(); ++row)
      if ((*codes)[row] == *level) rows->push_back(row);
    std::erase_if(shown.columns, [](const Column& column) { return column.name == kClusterOfFrame; });
    return selected_rows(shown, rows, context);
  };
  return found;
}

class Search {
 public:
  Search(Context& context, StoredMarkersFound& found) : context_(context), found_(found) {}

  void visit(const std::string& key, const Node& node, size_t depth) {
    if (++nodes_ > kMaxNodes || found_.results.size() >= kMaxResults) return;
    try {
      std::optional<StoredMarkers> result = scanpy_result(key, node);
      if (!result) result = seurat_result(key, node, context_);
      if (result) return found_.results.push_back(*std::move(result));
      if (!is_plain_group(node) || depth >= kMaxDepth) return;
      for (const Member& member : node.parts->members())
        visit(key + "/" + member.name, member.node, depth + 1);
    } catch (const Error& error) {
      if (error.code() == Errc::changed || is_transient(error)) throw;  // faults are kept with the results
      found_.faults.push_back(fmt::format("{}: {}", key, error.what()));
    }
  }

 private:
  Context& context_;
  StoredMarkersFound& found_;
  size_t nodes_ = 0;
};

std::string number_or_text(const Column& column, const Elements& values, const std::vector<double>& numbers,
                           const std::vector<std::string>& texts, uint64_t row) {
  if (numbers.empty()) return texts[row];
  if (values.is_missing(row) || std::isnan(numbers[row])) return {};
  if (column.name.starts_with("pct")) return share_text(numbers[row]);
  return fmt::format("{:.3g}", numbers[row]);
}

class StoredSection {
 public:
  StoredSection(const Query& query, const PageCells& cells, PageModel& page)
      : query_(query), cells_(cells), page_(page) {}

  void add() {
    if (!choose()) return;
    Table table = result_->table(level_);
    add_rows(table);
    page_.add(Forms{level_ ? "Download these markers" : "Download all markers", number_files(query_)});
    if (level_)
      page_.add(
          Forms{"Download the markers of all levels", number_files(query_.with("stored", result_->key))});
    if (query_.has("numbers")) page_.add(Attachment{"markers", std::move(table)});
  }

 private:
  bool choose() {
    const std::string asked = query_.value("stored").value_or("");
    const std::vector<StoredMarkers>& results = cells_.stored_markers().results;
    for (const StoredMarkers& result : results) {
      if (asked == result.key) {
        result_ = &result;
        return true;
      }
      if (!asked.starts_with(result.key + ":")) continue;
      result_ = &result;
      return choose_level(asked.substr(result.key.size() + 1));
    }
    Problem problem{fmt::format("The store has no markers '{}'.", shortened(asked, kMaxBytesOfName))};
    for (const StoredMarkers& result : results)
      problem.near.push_back({result.key, query_.with("stored", result.key).href()});
    page_.problems.push_back(std::move(problem));
    return false;
  }

  bool choose_level(const std::string& name) {
    const auto found = std::find(result_->levels.begin(), result_->levels.end(), name);
    if (found != result_->levels.end()) {
      level_ = static_cast<size_t>(found - result_->levels.begin());
      return true;
    }
    Problem problem{fmt::format("{} has no level '{}'.", result_->key, shortened(name, kMaxBytesOfName))};
    for (const std::string& near : nearest_names(name, result_->levels))
      problem.near.push_back({near, query_.with("stored", result_->key + ":" + near).href()});
    page_.problems.push_back(std::move(problem));
    return false;
  }

  void add_rows(const Table& table) {
    const uint64_t from = std::min(query_.number("from").value_or(0), table.rows);
    const uint64_t count = std::min(kStoredOnPage, table.rows - from);
    Grid grid;
    grid.heading = "Markers";
    grid.key = "markers";
    grid.caption = fmt::format(
        "{} genes of {}, from {}{}", count_text(table.rows),
        level_ ? "level " + shortened(result_->levels[*level_], kMaxBytesOfName) : std::string("all levels"),
        result_->key, result_->text.empty() ? "" : ": " + result_->text);
    grid.rows.resize(count);
    // The gene comes first, as the name of its row.
    std::vector<const Column*> columns;
    for (const Column& column : table.columns)
      (is_gene(column) ? columns.insert(columns.begin(), &column) : columns.insert(columns.end(), &column));
    for (const Column* const column : columns) add_column(*column, from, grid);
    page_.add(std::move(grid));
    if (table.rows > kStoredOnPage) page_.add(Pager{query_, "markers", from, kStoredOnPage, table.rows});
  }

  static bool is_gene(const Column& column) { return column.name == kNames || column.name == kGeneOfFrame; }

  void add_column(const Column& column, uint64_t from, Grid& grid) {
    const DType& type = column.values->dtype();
    const Elements values = column.values->read(range(from, grid.rows.size()));
    std::vector<double> numbers;
    std::vector<std::string> texts;
    const bool is_number = type.is_numeric() && levels_of(*column.values) == ColumnLevels::numbers;
    if (is_number)
      append_doubles(type, values, numbers);
    else
      texts = texts_in(*column.values, from, grid.rows.size());
    grid.header.push_back({is_gene(column) ? "gene" : column.name, is_number});
    for (uint64_t row = 0; row < grid.rows.size(); ++row) {
      Grid::Cell cell{number_or_text(column, values, numbers, texts, row)};
      cell.is_missing = is_number && cell.text.empty();
      if (is_gene(column)) cell.href = href_of(cell.text);
      grid.rows[row].push_back(std::move(cell));
    }
  }

  // Returns texts, or the levels of a factor.
  static std::vector<std::string> texts_in(const Array& values, uint64_t from, uint64_t count) {
    const std::optional<CellGroups> groups =
        levels_of(values) == ColumnLevels::few ? cell_groups(values, kMaxLevelsOfFrame) : std::nullopt;
    if (!groups) return texts_of(values.dtype(), values.read(range(from, count)));
    std::vector<std::string> texts;
    for (uint64_t row = from; row < from + count; ++row)
      texts.push_back(groups->cells[row] == CellGroups::kNone ? "NA" : groups->levels[groups->cells[row]]);
    return texts;
  }

  std::string href_of(const std::string& gene) const {
    return query_.only({"matrix", "embedding", "assay", "split", "where"}).with("color", gene).href();
  }

  const Query& query_;
  const PageCells& cells_;
  PageModel& page_;
  const StoredMarkers* result_ = nullptr;
  std::optional<size_t> level_;  // nullopt: all levels
};

}  // namespace

StoredMarkersFound stored_markers_of(const AnnotatedMatrix& matrix, Context& context) {
  StoredMarkersFound found;
  Search search(context, found);
  for (const std::vector<Member>* const members : {&matrix.uns, &matrix.stored_uns})
    for (const Member& member : *members) {
      const bool is_known = std::any_of(found.results.begin(), found.results.end(),
                                        [&](const StoredMarkers& one) { return one.key == member.name; });
      if (!is_known) search.visit(member.name, member.node, 0);
    }
  return found;
}

uint64_t bytes_of_stored_markers(const StoredMarkersFound& found, const Query& query) {
  const std::string asked = query.value("stored").value_or("");
  for (const StoredMarkers& one : found.results)
    if (asked == one.key || asked.starts_with(one.key + ":")) return one.rows * kBytesOfNumber;
  return 0;
}

std::vector<Picks> stored_marker_links(const StoredMarkersFound& found, const Query& query) {
  std::vector<Picks> all;
  const Query rest = query.only({"matrix", "embedding", "assay", "split", "where"});
  for (const StoredMarkers& one : found.results) {
    Picks picks{"Stored markers, " + one.key, {}, {}};
    for (size_t i = 0; i < std::min(one.levels.size(), kMaxLevelLinks); ++i) {
      const std::string asked = one.key + ":" + one.levels[i];
      picks.links.push_back({one.levels[i], rest.with("stored", asked).href()});
      if (query.value("stored") == asked) picks.current = one.levels[i];
    }
    picks.links.push_back({"all levels", rest.with("stored", one.key).href()});
    all.push_back(std::move(picks));
  }
  return all;
}

void add_stored_markers(const Query& query, const PageCells& cells, PageModel& page) {
  StoredSection(query, cells, page).add();
}

}  // namespace plainfs::serve
