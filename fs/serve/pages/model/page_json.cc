#include "fs/serve/pages/model/page_json.h"

#include "formats/core/text/http_date.h"
#include "formats/core/text/percent.h"
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

Json::Object entry_json(const FolderEntry& entry) {
  Json::Object one{{"name", entry.name},
                   {"href", percent_encoded(entry.name) + (entry.is_folder ? "/" : "")},
                   {"kind", entry.is_folder ? "folder" : "file"}};
  if (entry.is_link) one.emplace_back("link", true);
  if (!entry.error.empty()) one.emplace_back("error", entry.error);
  if (entry.error.empty() && !entry.is_folder)
    one.emplace_back("size", entry.size ? Json::of(*entry.size) : Json());
  if (entry.error.empty()) one.emplace_back("modified", http_date(entry.modified));
  return one;
}

Json column_json(const ColumnFact& column) {
  return Json::Object{{"name", column.name}, {"type", column.type}, {"levels", printable(column.levels)}};
}

Json row_json(const ContentRow& row) {
  return Json::Object{{"name", row.name},
                      {"href", row.href},
                      {"kind", row.kind},
                      {"what", printable(row.shape)},
                      {"take_it_as", forms_json(row.views)}};
}

Json problem_json(const Problem& problem) {
  return Json::Object{{"text", printable(problem.text)}, {"near", forms_json(problem.near)}};
}

Json text_json(const std::string& text) {
  return printable(text);
}

// Adds what a page shows. Forms and links to other pages have no data.
class Writer {
 public:
  template <class Item, class Convert>
  void add(const char* name, const std::vector<Item>& items, Convert&& convert) {
    Json::List list;
    for (const Item& item : items) list.push_back(convert(item));
    if (!list.empty()) all.emplace_back(name, std::move(list));
  }
  void add(const std::vector<Section>& sections) {
    for (const Section& section : sections)
      std::visit([this](const auto& content) { add(content); }, section.content);
  }
  void add(const SideBySide& both) {
    add(both.first);
    add(both.second);
  }
  void add(const Forms& forms) {
    if (forms.key) all.emplace_back(forms.key, forms_json(forms.forms));
  }
  void add(const LeftOut& left_out) { add("left_out", left_out.lines, text_json); }
  void add(const Contents& contents) { add("contents", contents.rows, row_json); }
  void add(const std::vector<ColumnFact>& columns) { add("columns", columns, column_json); }
  void add(const Distribution& distribution) {
    all.emplace_back("distribution", distribution_json(distribution));
  }
  void add(const std::vector<Distribution>& genes) { add("several", genes, distribution_json); }
  void add(const std::vector<StoreCard>& stores) { add("stores", stores, store_json); }
  void add(const Grid& grid) { all.emplace_back(grid.key, grid_json(grid)); }
  void add(const OpenWithLines& open) {
    add("open_with", open.lines, [](const Instruction& one) {
      return Json::Object{{"with", one.program}, {"text", one.text}};
    });
    if (!open.viewers.empty()) all.emplace_back("viewers", forms_json(open.viewers));
  }
  void add(const std::vector<Fact>& attributes) { all.emplace_back("attributes", pairs_json(attributes)); }
  void add(const std::vector<FolderEntry>& entries) {
    Json::List list;
    for (const FolderEntry& entry : entries)
      if (!entry.is_unlisted) list.push_back(entry_json(entry));
    all.emplace_back("entries", std::move(list));
  }
  template <class Other>
  void add(const Other&) {}

  Json::Object all;
};

}  // namespace

Json::Object json_of(const PageModel& page) {
  Writer writer{{{"title", page.title}, {"kind", page.kind}, {"what", printable(page.sub)}}};
  if (!page.facts.empty()) writer.all.emplace_back("facts", pairs_json(page.facts));
  writer.add("problems", page.problems, problem_json);
  writer.add(page.sections);
  writer.add("notes", page.notes, text_json);
  return std::move(writer.all);
}

}  // namespace plainfs::serve
