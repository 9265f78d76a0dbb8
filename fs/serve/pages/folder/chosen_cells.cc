#include "fs/serve/pages/folder/chosen_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "formats/annotated/selection.h"
#include "formats/core/model/derived_group.h"
#include "fs/report/words.h"
#include "fs/serve/pages/cells/cells_files.h"
#include "fs/serve/pages/folder/page_state.h"
#include "fs/serve/pages/model/subject.h"
#include "fs/serve/pages/table/chosen_rows.h"
#include "fs/serve/pages/table/table_page.h"
#include "fs/serve/pages/table/table_work.h"
#include "fs/serve/site/generated_file.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kBytesOfACell = 16;  // of its number, while a file is sent
constexpr size_t kMaxFormBytes = 40;

Indices numbers_of(const std::vector<uint32_t>& rows) {
  return std::make_shared<const std::vector<uint64_t>>(rows.begin(), rows.end());
}

void send_cells(const Exchange& exchange, const CellsFile& form, const OpenMeaning& meaning,
                const AnnotatedMatrix& matrix, const Query& query) {
  const auto work = exchange.settings.work;
  WorkBudget::Share share = work->take(table_work_bytes(query, matrix.obs));
  const std::vector<uint32_t> rows = asked_rows(query.only({"where"}), matrix.obs);
  if (rows.empty()) throw not_found("no cell meets the conditions of ?where=");
  share.reduce(rows.size() * kBytesOfACell);
  Context& context = *meaning.what.context;
  AnnotatedMatrix some = selected_cells(matrix, numbers_of(rows), context);
  Node node;
  if (form.is_of_obs)
    node.content = some.obs;
  else
    node.parts = std::make_shared<AnnotatedGroup>(
        stored_group(*meaning.what.node.parts).shared_from_this(),
        [some_cells = std::make_shared<const AnnotatedMatrix>(std::move(some))] { return *some_cells; });
  const std::shared_ptr<ViewFile> file = generated_file(*form.file, node, context);
  if (!file) throw not_found("{}: these cells have no such file", form.name());
  answer_generated_file(exchange, *file, *form.file, form.name());
}

// Answers ?take= of a page. Returns false if it has no annotated matrix.
bool answer_cells_of_page(const Exchange& exchange, const Site::Place& place, const Query& query) {
  const std::string asked = *query.value("take");
  const Subject subject = folder_subject(exchange, place);
  const std::optional<CellsPlace> cells = cells_place(exchange, subject);
  if (!cells) return false;
  const auto form = std::find_if(std::begin(kCellsFiles), std::end(kCellsFiles),
                                 [&](const CellsFile& one) { return one.form == asked; });
  if (form == std::end(kCellsFiles))
    throw not_found("take={}: expected h5ad, rds, csv, xlsx or parquet", shortened(asked, kMaxFormBytes));
  if (!query.value("where")) throw not_found("take={}: expected &where=COLUMN:LEVEL", asked);
  const PageCellsPtr all = exchange.pages.cells.of(*place.filesystem, cells->directory);
  if (!all) return false;
  send_cells(exchange, *form, place.filesystem->meaning(cells->directory), all->matrix(), query);
  return true;
}

}  // namespace

PageCellsPtr chosen_cells(const Exchange& exchange, const CellsPlace& place, Filesystem& filesystem,
                          const PageCellsPtr& all, PageModel& page) {
  const Query query = Query(exchange.target.query).with("find", {}).with("sort", {});
  if (!query.value("where")) return all;
  const WorkBudget::Share share = exchange.settings.work->take(table_work_bytes(query, all->matrix().obs));
  const size_t problems = page.problems.size();
  const std::vector<uint32_t> rows = asked_rows(query, all->matrix().obs, page.problems);
  if (page.problems.size() > problems) return all;
  if (rows.empty()) {
    page.problems.push_back({"No cell meets all of the conditions; all cells are shown."});
    return all;
  }
  std::string key;
  for (const std::string& where : query.values("where")) key += where + "\n";
  PageCellsPtr some = exchange.pages.cells.some_of(filesystem, place.directory, key, numbers_of(rows));
  return some ? some : all;
}

bool answer_chosen_cells(const Exchange& exchange, const Site::Place& place) {
  const Query query(exchange.target.query);
  if (!place.filesystem) return false;
  if (place.kind == FileKind::directory)
    return query.value("take") && answer_cells_of_page(exchange, place, query);
  const FileRow* const row = place.filesystem->row(place.inode);
  if (!row || !chooses_rows(query)) return false;
  const auto form = std::find_if(std::begin(kCellsFiles), std::end(kCellsFiles), [&](const CellsFile& one) {
    return !one.is_of_obs && one.file == &row->form;
  });
  if (form == std::end(kCellsFiles)) return false;
  if (query.value("find") || query.value("sort"))
    throw not_found("{}: cells are chosen by where alone, and keep their order", form->name());
  const OpenMeaning meaning = place.filesystem->meaning(place.filesystem->parent(place.inode));
  const std::optional<FoundAnnotatedMatrix> found =
      annotated_matrix_of(meaning.what.node, *meaning.what.context);
  if (!found)
    throw not_found("{}: some of its cells are files of the page of its matrix, ?where=…&take={}",
                    exchange.names.back(), form->form);
  send_cells(exchange, *form, meaning, found->make(), query);
  return true;
}

}  // namespace plainfs::serve
