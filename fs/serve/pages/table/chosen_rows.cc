#include "fs/serve/pages/table/chosen_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "formats/annotated/selection.h"
#include "formats/core/model/arrays/nested_array.h"
#include "formats/core/text/percent.h"
#include "fs/serve/pages/table/table_page.h"
#include "fs/serve/pages/table/table_work.h"
#include "fs/serve/site/generated_file.h"
#include "fs/views/file_forms.h"

namespace plainfs::serve {
namespace {

constexpr const char* kChoices[] = {"where", "find", "sort"};
constexpr uint64_t kBytesOfAnIndex = 16;  // of a row that is kept while the file is sent

bool is_of_rows(const FileRow* row) {
  const FileForm* const forms[] = {&forms::kTableCsv, &forms::kTableParquet, &forms::kTableXlsx};
  return row && std::find(std::begin(forms), std::end(forms), &row->form) != std::end(forms);
}

Table chosen_table(const Table& table, const std::vector<uint32_t>& rows, Context& context) {
  for (const Column& column : table.columns)
    if (dynamic_cast<const NestedArray*>(column.values.get()))
      throw unsupported("{} has lists: rows of a table with lists are not chosen in a file", column.name);
  return selected_rows(table, std::make_shared<const std::vector<uint64_t>>(rows.begin(), rows.end()),
                       context);
}

}  // namespace

bool chooses_rows(const Query& query) {
  return std::any_of(std::begin(kChoices), std::end(kChoices),
                     [&](const char* name) { return query.value(name).has_value(); });
}

std::vector<TakeAs> files_of_rows(const Query& query, const Subject& subject) {
  std::vector<TakeAs> files;
  for (const FolderEntry& entry : subject.beside)
    if (is_of_rows(entry.row))
      files.push_back({entry.name.substr(std::min(subject.name.size() + 1, entry.name.size())),
                       (subject.has_folder ? "../" : "") + percent_encoded(entry.name) +
                           query.only({std::begin(kChoices), std::end(kChoices)}).href()});
  return files;
}

bool answer_rows(const Exchange& exchange, const Site::Place& place) {
  const Query query(exchange.target.query);
  if (!chooses_rows(query)) return false;
  const FileRow* const row = place.filesystem->row(place.inode);
  const OpenMeaning meaning = place.filesystem->meaning(place.inode);
  const std::string& name = exchange.names.back();
  const auto* table = is_of_rows(row) ? std::get_if<Table>(&meaning.what.node.content) : nullptr;
  if (!table)
    throw not_found("{}: no rows to choose; where, find and sort are for tables as .csv, .parquet and .xlsx",
                    name);
  WorkBudget::Share share = exchange.settings.work->take(table_work_bytes(query, *table));
  const std::vector<uint32_t> rows = asked_rows(query, *table);
  share.reduce(rows.size() * kBytesOfAnIndex);
  Context& context = *meaning.what.context;
  const std::shared_ptr<ViewFile> file =
      generated_file(row->form, Node{chosen_table(*table, rows, context)}, context);
  if (!file) throw not_found("{}: not a file of these rows", name);
  answer_generated_file(exchange, *file, row->form, name);
  return true;
}

}  // namespace plainfs::serve
