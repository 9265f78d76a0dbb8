// A page as HTML and as JSON.
#include <fmt/format.h>

#include "formats/core/text/percent.h"
#include "formats/core/text/printable.h"
#include "fs/commands/progress.h"
#include "fs/serve/made_page.h"
#include "fs/serve/page_text.h"

namespace plainfs::serve {
namespace {

std::string shown(const std::string& text) {
  return escaped(printable(text));
}

std::string size_words(const std::optional<uint64_t>& size) {
  return size ? byte_text(static_cast<double>(*size)) : std::string();
}

std::string facts_html(const std::vector<Fact>& facts) {
  if (facts.empty()) return {};
  std::string html = "<dl class=\"facts\">";
  for (const Fact& fact : facts)
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", shown(fact.name), shown(fact.value));
  return html + "</dl>\n";
}

std::string forms_html(const std::vector<TakeAs>& forms) {
  std::string html = "<span class=\"views\">";
  for (const TakeAs& form : forms) {
    const std::string size = size_words(form.size);
    html += fmt::format("<a href=\"{}\">{}{}</a>", escaped(form.href), shown(form.label),
                        size.empty() ? "" : " <small>" + size + "</small>");
  }
  return html + "</span>";
}

std::string contents_html(const PageModel& page) {
  if (page.contents.empty()) return {};
  std::string html =
      "<h2>Contents</h2><div class=\"wrap\"><table class=\"list\"><thead><tr><th scope=\"col\">Name</th>"
      "<th scope=\"col\">Kind</th><th scope=\"col\">What it is</th><th scope=\"col\">Take it as</th></tr>"
      "</thead><tbody>\n";
  for (const ContentRow& row : page.contents)
    html += fmt::format(
        "<tr><th scope=\"row\"><a href=\"{}\">{}</a></th><td class=\"kind\">{}</td><td "
        "class=\"shape\">{}</td>"
        "<td class=\"v\">{}</td></tr>\n",
        escaped(row.href), shown(row.name), shown(row.kind), shown(row.shape), forms_html(row.views));
  html += "</tbody></table></div>\n";
  if (page.is_cut) html += "<p class=\"sub\">There is more: the list of all names is below.</p>\n";
  return html;
}

std::string cell_html(const Grid::Cell& cell, bool is_name, bool is_number) {
  const std::string text = cell.is_missing ? "<span class=\"na\">NA</span>" : shown(cell.text);
  if (is_name) return fmt::format("<th scope=\"row\">{}</th>", text);
  return fmt::format("<td{}>{}</td>", is_number ? " class=\"n\"" : "", text);
}

std::string grid_html(const Grid& grid) {
  std::string html = fmt::format(
      "<section><h2>First rows</h2><div class=\"wrap\" tabindex=\"0\" role=\"region\" aria-label=\"First "
      "rows\"><table class=\"first\"><caption>{}</caption><thead><tr>",
      shown(grid.caption));
  for (size_t i = 0; i < grid.header.size(); ++i) {
    const Grid::Header& header = grid.header[i];
    // An empty header cell says nothing to who hears it.
    if (header.name.empty())
      html += "<td></td>";
    else
      html += fmt::format("<th scope=\"col\"{}>{}</th>", header.is_number ? " class=\"n\"" : "",
                          shown(header.name));
  }
  html += "</tr></thead><tbody>\n";
  for (const std::vector<Grid::Cell>& row : grid.rows) {
    html += "<tr>";
    for (size_t i = 0; i < row.size(); ++i)
      html += cell_html(row[i], i == 0 && grid.has_names, i < grid.header.size() && grid.header[i].is_number);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div></section>";
}

std::string figures_html(const PageModel& page) {
  if (page.figures.empty() && !page.first) return {};
  const bool has_two = !page.figures.empty() && page.first;
  std::string html = has_two ? "<div class=\"cols\">" : "";
  if (!page.figures.empty()) html += "<section>";
  for (const Figure& figure : page.figures)
    html += fmt::format("<h2>{}</h2><figure>{}<figcaption>{}</figcaption></figure>", shown(figure.title),
                        figure.html, shown(figure.caption));
  if (!page.figures.empty()) html += "</section>\n";
  if (page.first) html += grid_html(*page.first);
  return html + (has_two ? "</div>\n" : "\n");
}

std::string columns_html(const std::vector<ColumnFact>& columns) {
  if (columns.empty()) return {};
  std::string html =
      "<h2>Columns</h2><div class=\"wrap\" tabindex=\"0\" role=\"region\" aria-label=\"Columns\"><table>"
      "<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Type</th><th scope=\"col\">Levels</th></tr>"
      "</thead><tbody>\n";
  for (const ColumnFact& column : columns)
    html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", shown(column.name),
                        shown(column.type), shown(column.levels));
  return html + "</tbody></table></div>\n";
}

std::string ways_html(const PageModel& page) {
  std::string html;
  for (const Way& way : page.ways)
    html += fmt::format("<div class=\"cmd\"><b>{}</b><pre tabindex=\"0\">{}</pre></div>\n",
                        shown(way.program), shown(way.text));
  if (!html.empty()) html = "<h2>Open it with</h2>\n" + html;
  if (!page.viewers.empty()) {
    html += "<p>Viewers that read it from here; the data go to this browser alone: ";
    for (size_t i = 0; i < page.viewers.size(); ++i)
      html += fmt::format("{}<a rel=\"noreferrer\" href=\"{}\">{}</a>", i == 0 ? "" : ", ",
                          escaped(page.viewers[i].href), shown(page.viewers[i].label));
    html += "</p>\n";
  }
  return html;
}

std::string attributes_html(const std::vector<Fact>& attributes) {
  if (attributes.empty()) return {};
  std::string html =
      "<details><summary>Attributes</summary><div class=\"wrap\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Attributes\"><table><tbody>\n";
  for (const Fact& attribute : attributes)
    html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", shown(attribute.name),
                        shown(attribute.value));
  return html + "</tbody></table></div></details>\n";
}

std::string entries_html(const std::vector<FolderEntry>& entries) {
  if (entries.empty()) return {};
  std::string rows;
  size_t count = 0;
  for (const FolderEntry& entry : entries) {
    if (entry.is_unlisted) continue;
    ++count;
    const char* const slash = entry.is_folder ? "/" : "";
    rows += fmt::format(
        "<tr><th scope=\"row\"><a href=\"{}{}\">{}{}</a></th><td>{}</td><td class=\"n\">{}</td></tr>\n",
        escaped(percent_encoded(entry.name)), slash, shown(entry.name), slash,
        !entry.error.empty() ? shown(entry.error)
        : entry.is_link      ? "link"
                             : "",
        size_words(entry.size));
  }
  return fmt::format(
      "<details><summary>{} in this folder</summary><div class=\"wrap\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"All names\"><table><thead><tr><th scope=\"col\">Name</th><th scope=\"col\">What</th><th "
      "scope=\"col\" class=\"n\">Size</th></tr></thead><tbody>\n{}</tbody></table></div></details>\n",
      count == 1 ? "The one name" : fmt::format("All {} names", count), rows);
}

Json::List forms_json(const std::vector<TakeAs>& forms) {
  Json::List list;
  for (const TakeAs& form : forms) {
    Json::Object one{{"name", form.label}, {"href", form.href}};
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

}  // namespace

std::string html_of(const PageModel& page) {
  std::string html = facts_html(page.facts);
  for (const std::string& note : page.notes) html += fmt::format("<p class=\"note\">{}</p>\n", shown(note));
  if (!page.views.empty()) html += "<h2>Take it as</h2>" + forms_html(page.views) + "\n";
  html += contents_html(page) + figures_html(page) + columns_html(page.columns);
  if (!page.by_name.empty()) html += "<h2>By name</h2>" + forms_html(page.by_name) + "\n";
  return html + ways_html(page) + attributes_html(page.attributes) + entries_html(page.entries);
}

Json::Object json_of(const PageModel& page) {
  Json::Object all{{"title", page.title}, {"kind", page.kind}, {"what", printable(page.sub)}};
  const auto add = [&](const char* name, Json::List list) {
    if (!list.empty()) all.emplace_back(name, std::move(list));
  };
  add("facts", pairs_json(page.facts));
  add("take_it_as", forms_json(page.views));
  Json::List contents, columns, ways, notes;
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
  if (page.first) all.emplace_back("first_rows", grid_json(*page.first));
  add("by_name", forms_json(page.by_name));
  for (const Way& way : page.ways) ways.push_back(Json::Object{{"with", way.program}, {"text", way.text}});
  add("open_with", std::move(ways));
  add("viewers", forms_json(page.viewers));
  add("attributes", pairs_json(page.attributes));
  for (const std::string& note : page.notes) notes.emplace_back(printable(note));
  add("notes", std::move(notes));
  return all;
}

}  // namespace plainfs::serve
