#include "fs/serve/pages/model/page_json.h"

#include "formats/core/text/printable.h"

namespace plainfs::serve {
namespace {

Json::List forms_json(const std::vector<TakeAs>& forms) {
  Json::List list;
  for (const TakeAs& form : forms) {
    Json::Object one{{"name", form.label}};
    if (form.fault.empty())
      one.emplace_back("href", form.href);
    else
      one.emplace_back("error", printable(form.fault));
    if (form.size) one.emplace_back("size", Json::of(*form.size));
    list.emplace_back(std::move(one));
  }
  return list;
}

Json::Object grid_json(const Grid& grid) {
  Json::List names, rows;
  for (const Grid::Header& header : grid.header) names.emplace_back(header.name);
  for (const std::vector<Grid::Cell>& row : grid.rows) {
    Json::List cells;
    for (const Grid::Cell& cell : row) cells.push_back(cell.is_missing ? Json() : Json(printable(cell.text)));
    rows.emplace_back(std::move(cells));
  }
  return {{"caption", grid.caption}, {"header", std::move(names)}, {"rows", std::move(rows)}};
}

Json::List pairs_json(const std::vector<Fact>& facts) {
  Json::List list;
  for (const Fact& fact : facts)
    list.push_back(Json::Object{{"name", fact.name}, {"value", printable(fact.value)}});
  return list;
}

// Counts are exact, and values are not rounded. The level of cells without one is null.
Json::Object distribution_json(const Distribution& distribution) {
  Json::List rows;
  for (const LevelRow& row : distribution.rows) {
    Json::Object one{{"level", row.is_missing ? Json() : Json(printable(row.name))},
                     {"cells", Json::of(row.cells)}};
    if (distribution.has_numbers) one.emplace_back("values", Json::of(row.numbers.values));
    if (distribution.has_numbers && row.numbers.values > 0) {
      one.emplace_back("above_zero", Json::of(row.numbers.share_above()));
      one.emplace_back("mean", Json::of(row.numbers.mean));
      Json::List quartiles;
      for (const double quartile : row.numbers.quartiles) quartiles.push_back(Json::of(quartile));
      one.emplace_back("quartiles", std::move(quartiles));
    }
    rows.emplace_back(std::move(one));
  }
  Json::Object all{{"of", printable(distribution.of)}};
  if (!distribution.matrix.empty()) all.emplace_back("matrix", printable(distribution.matrix));
  all.emplace_back("by", printable(distribution.by));
  all.emplace_back("cells", Json::of(distribution.cells));
  all.emplace_back("levels", std::move(rows));
  all.emplace_back("levels_left_out", Json::of(distribution.more));
  return all;
}

Json::Object store_json(const StoreCard& store) {
  Json::Object one{{"name", printable(store.name)},
                   {"href", store.href},
                   {"kind", store.kind},
                   {"what", printable(store.what)}};
  if (!store.error.empty()) one.emplace_back("error", printable(store.error));
  if (store.size) one.emplace_back("size", Json::of(*store.size));
  return one;
}

}  // namespace

Json::Object json_of(const PageModel& page) {
  Json::Object all{{"title", page.title}, {"kind", page.kind}, {"what", printable(page.sub)}};
  const auto add = [&](const char* name, Json::List list) {
    if (!list.empty()) all.emplace_back(name, std::move(list));
  };
  add("facts", pairs_json(page.facts));
  add("take_it_as", forms_json(page.views));
  Json::List contents, columns, instructions, left_out, notes, problems, stores;
  if (page.left_out)
    for (const std::string& line : page.left_out->lines) left_out.emplace_back(printable(line));
  add("left_out", std::move(left_out));
  for (const ContentRow& row : page.contents)
    contents.push_back(Json::Object{{"name", row.name},
                                    {"href", row.href},
                                    {"kind", row.kind},
                                    {"what", printable(row.shape)},
                                    {"take_it_as", forms_json(row.views)}});
  add("contents", std::move(contents));
  for (const ColumnFact& column : page.columns)
    columns.push_back(
        Json::Object{{"name", column.name}, {"type", column.type}, {"levels", printable(column.levels)}});
  add("columns", std::move(columns));
  for (const Problem& problem : page.problems)
    problems.push_back(Json::Object{{"text", printable(problem.text)}, {"near", forms_json(problem.near)}});
  add("problems", std::move(problems));
  if (page.distribution) all.emplace_back("distribution", distribution_json(*page.distribution));
  for (const StoreCard& store : page.stores) stores.emplace_back(store_json(store));
  add("stores", std::move(stores));
  if (page.first) all.emplace_back("first_rows", grid_json(*page.first));
  add("by_name", forms_json(page.by_name));
  for (const Instruction& one : page.instructions)
    instructions.push_back(Json::Object{{"with", one.program}, {"text", one.text}});
  add("open_with", std::move(instructions));
  add("viewers", forms_json(page.viewers));
  add("attributes", pairs_json(page.attributes));
  for (const std::string& note : page.notes) notes.emplace_back(printable(note));
  add("notes", std::move(notes));
  return all;
}

}  // namespace plainfs::serve
