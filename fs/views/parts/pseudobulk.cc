#include "fs/views/parts/part_files.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <unordered_map>

#include "cache/lazy.h"
#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/cell_groups.h"
#include "fs/layout/byte_layout.h"
#include "fs/text/text_file.h"
#include "fs/views/array/array_files.h"
#include "fs/views/file_rows.h"
#include "fs/views/parts/group_sums.h"
#include "fs/views/parts/lazy_text.h"
#include "fs/views/parts/part_names.h"
#include "fs/views/r/rds.h"
#include "fs/views/table/table_files.h"
#include "fs/views/xlsx/workbook.h"

namespace plainfs {

namespace {

constexpr char kBetweenColumns = '+', kAlsoBetweenColumns = ',';  // ',' as between genes
constexpr std::string_view kText = ".csv", kObject = ".rds", kBook = ".xlsx", kDesign = ".design.csv";
constexpr const char *kSumsVersion = "pseudobulk 2", *kRdsVersion = "rds 2", *kBookVersion = "xlsx 2";

// Returns the groups of cells that have a level in both, ordered by the level in `slow` and then by that in
// `fast`.
CellGroups crossed(const CellGroups& slow, const CellGroups& fast) {
  const uint64_t width = fast.levels.size();
  std::vector<uint64_t> pairs;
  for (size_t cell = 0; cell < slow.cells.size(); ++cell)
    if (slow.cells[cell] != CellGroups::kNone && fast.cells[cell] != CellGroups::kNone)
      pairs.push_back(slow.cells[cell] * width + fast.cells[cell]);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::unordered_map<uint64_t, uint32_t> numbers;
  CellGroups both;
  for (const uint64_t pair : pairs) {
    numbers.emplace(pair, static_cast<uint32_t>(both.levels.size()));
    both.levels.push_back(slow.levels[pair / width] + "_" + fast.levels[pair % width]);
  }
  both.cells.assign(slow.cells.size(), CellGroups::kNone);
  for (size_t cell = 0; cell < slow.cells.size(); ++cell)
    if (slow.cells[cell] != CellGroups::kNone && fast.cells[cell] != CellGroups::kNone)
      both.cells[cell] = numbers.at(slow.cells[cell] * width + fast.cells[cell]);
  return both;
}

// Appends a number to repeated headers, from the second on.
std::vector<std::string> distinct(std::vector<std::string> headers) {
  std::unordered_map<std::string, uint64_t> taken;
  for (const std::string& header : headers) ++taken[header];
  std::unordered_map<std::string, uint64_t> seen;
  for (std::string& header : headers) {
    uint64_t& times = seen[header];
    if (++times == 1) continue;
    std::string numbered;
    do numbered = fmt::format("{}~{}", header, times++);
    while (taken.count(numbered));
    --times;
    taken.emplace(numbered, 1);
    header = std::move(numbered);
  }
  return headers;
}

class Pseudobulks : public NamedFiles, public std::enable_shared_from_this<Pseudobulks> {
 public:
  // place: of the annotated matrix, for messages.
  Pseudobulks(std::function<AnnotatedMatrix()> make, std::string place, Context& context)
      : make_(std::move(make)), place_(std::move(place)), context_(context) {}

  FoundNamesPtr names() const override;
  std::optional<ViewEntry> find(std::string_view name) const override;

 private:
  using Matches = std::vector<PartNames::Match>;

  const AnnotatedMatrix& matrix() const { return matrix_.get(make_); }
  const PartNames& columns() const {
    return *columns_.get([this] {
      std::vector<std::string> columns;
      for (const Column& column : matrix().obs.columns) columns.push_back(column.name);
      return std::make_unique<const PartNames>("column", std::move(columns));
    });
  }
  const ChosenCounts& counts() const {
    return counts_.get([this] { return choose_counts(matrix()); });
  }
  std::shared_ptr<const PartNames> genes() const;
  void warn_of_other_values() const;

  std::shared_ptr<const CellGroups> groups_of(const Matches& columns) const;
  LabelledArray sums_of(const Matches& columns) const;
  // Returns the sums, and the groups with their levels and numbers of cells.
  std::vector<Sheet> sheets_of(const Matches& columns) const {
    return {{"sums", table_of_matrix(sums_of(columns))}, {"cells", cells_of(columns, true)}};
  }
  // Returns the number of cells in each group. has_levels: preceded by the group's levels in the columns, as
  // in DESeq2's colData.
  Table cells_of(const Matches& columns, bool has_levels) const;
  ArrayPtr levels_of_groups(const CellGroups& groups, const PartNames::Match& column) const;

  const std::function<AnnotatedMatrix()> make_;
  const std::string place_;
  Context& context_;
  Lazy<AnnotatedMatrix> matrix_;
  Lazy<std::unique_ptr<const PartNames>> columns_;
  Lazy<ChosenCounts> counts_;
  Lazy<std::optional<std::string>> notice_;
  Lazy<std::unique_ptr<const PartNameList>> genes_;
};

FoundNamesPtr Pseudobulks::names() const {
  std::vector<std::string> names;
  const std::vector<Column>& all = matrix().obs.columns;
  for (uint64_t column = 0; column < all.size(); ++column)
    if (has_listed_groups(matrix(), all[column]))
      for (const std::string_view extension : {kText, kObject, kNumbersOfCells})
        names.push_back(columns().file(column, extension));
  return found_names(std::move(names));
}

std::optional<ViewEntry> Pseudobulks::find(std::string_view name) const {
  for (const std::string_view extension : {kNumbersOfCells, kDesign, kText, kObject, kBook}) {
    if (!name.ends_with(extension)) continue;
    const std::string_view stem = name.substr(0, name.size() - extension.size());
    std::optional<Matches> asked = columns().find_list(stem, extension, kBetweenColumns);
    if (!asked) asked = columns().find_list(stem, extension, kAlsoBetweenColumns);
    if (!asked) continue;
    ViewEntry file{std::string(name), nullptr};
    const auto text = [this](std::function<std::unique_ptr<TextSource>()> make) {
      return [make = std::move(make), &context = context_]() -> std::shared_ptr<ViewFile> {
        return std::make_shared<TextFile>(std::make_unique<LazyText>(kSumsVersion, make), context);
      };
    };
    const auto self = shared_from_this();
    if (extension == kNumbersOfCells || extension == kDesign) {
      file.open = text([self, asked = *asked, is_design = extension == kDesign] {
        return csv_table(self->cells_of(asked, is_design), self->context_);
      });
      return file;
    }
    if (extension == kText)
      file.open = text([self, asked = *asked] { return csv_array(self->sums_of(asked), self->context_); });
    else if (extension == kBook)
      file.open = [self, asked = *asked, place = place_ + "pseudobulk/" + file.name] {
        return workbook_file([self, asked] { return self->sheets_of(asked); }, place, self->context_,
                             kBookVersion);
      };
    else
      file.open = layout_opener(
          context_, [self, asked = *asked] { return array_rds(self->sums_of(asked), self->context_); },
          kRdsVersion);
    Node node;
    node.attributes = [self] { return Attributes{{"matrix", Json(self->counts().name)}}; };
    file.shared_node = std::make_shared<const Node>(std::move(node));
    return file;
  }
  return std::nullopt;
}

std::shared_ptr<const CellGroups> Pseudobulks::groups_of(const Matches& columns) const {
  std::optional<CellGroups> all;
  for (const PartNames::Match& asked : columns) {
    const Column& column = matrix().obs.columns[asked.part];
    CellGroups groups = *cell_groups(*column.values);
    if (groups.cells.size() != matrix().cells)
      throw damaged("{} has {} values for {} cells", column.name, groups.cells.size(), matrix().cells);
    all = all ? crossed(*all, groups) : std::move(groups);
  }
  all->levels = distinct(std::move(all->levels));
  return std::make_shared<const CellGroups>(*std::move(all));
}

// Returns the genes of the counts; null if they have no names.
std::shared_ptr<const PartNames> Pseudobulks::genes() const {
  const Table& var = counts().var;
  if (!var.row_names) return nullptr;
  const auto& genes = genes_.get([&] {
    const ArrayPtr ids = column_values(var.columns, "gene_ids");
    return std::make_unique<const PartNameList>("gene", var.row_names,
                                                ids && ids->dtype().is_text() ? ids : nullptr, context_);
  });
  return genes->get();
}

LabelledArray Pseudobulks::sums_of(const Matches& columns) const {
  const auto groups = groups_of(columns);
  const auto genes = this->genes();
  ArrayPtr sums = group_sums(counts(), groups, context_);
  warn_of_other_values();
  return {std::move(sums), genes ? labels_of(genes) : nullptr, text_array(groups->levels)};
}

// Logs, once, that the sums are not of counts.
void Pseudobulks::warn_of_other_values() const {
  notice_.get([this] {
    std::optional<std::string> notice = notice_of_sums(counts());
    if (notice) context_.notice(place_ + "pseudobulk/: " + *notice);
    return notice;
  });
}

Table Pseudobulks::cells_of(const Matches& columns, bool has_levels) const {
  const auto groups = groups_of(columns);
  std::vector<int64_t> counted(groups->levels.size());
  for (const uint32_t group : groups->cells)
    if (group != CellGroups::kNone) ++counted[group];
  const uint64_t count = groups->levels.size();
  Table table{count, text_array(groups->levels), {}};
  std::set<uint64_t> added;  // a column may be requested twice
  if (has_levels)
    for (const PartNames::Match& asked : columns)
      if (added.insert(asked.part).second)
        table.columns.push_back({asked.name, levels_of_groups(*groups, asked)});
  table.columns.push_back({"cells", number_array(counted)});
  return table;
}

// Returns the level of each group's cells in one of its columns.
ArrayPtr Pseudobulks::levels_of_groups(const CellGroups& groups, const PartNames::Match& column) const {
  const CellGroups own = *cell_groups(*matrix().obs.columns[column.part].values);
  std::vector<std::string> levels(groups.levels.size());
  for (size_t cell = 0; cell < groups.cells.size(); ++cell)
    if (groups.cells[cell] != CellGroups::kNone) levels[groups.cells[cell]] = own.levels[own.cells[cell]];
  return text_array(levels);
}

}  // namespace

void offer_pseudobulk(const FileRow& row, const Node& node, Context& context, Files& files) {
  std::optional<FoundAnnotatedMatrix> found = annotated_matrix_of(node, context);
  if (!found || !found->has_obs || found->refusal) return;
  ViewEntry directory = row.entry(std::string(row.name));
  const std::string place = node.parts ? node.parts->path() : "/";
  directory.found = std::make_shared<const Pseudobulks>(std::move(found->make),
                                                        place.ends_with('/') ? place : place + "/", context);
  files.push_back(std::move(directory));
}

}  // namespace plainfs
