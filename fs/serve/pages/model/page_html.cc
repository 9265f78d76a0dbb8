#include "fs/serve/pages/model/page_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "formats/core/text/percent.h"
#include "formats/core/text/printable.h"
#include "fs/report/progress.h"
#include "fs/report/words.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMostLevelBytes = 40;
constexpr size_t kMostEntries = 500;

std::string shown(const std::string& text) {
  return escaped(printable(text));
}

// Escapes text of plainfs and keeps its line breaks.
std::string shown_lines(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!html.empty()) html += '\n';
    html += shown(std::string(line));
  }
  return html;
}

constexpr const char* kEmptyName = "<span class=\"na\">(empty)</span>";
constexpr const char* kNoNumbers =
    "<td class=\"n na\">no values</td><td class=\"n na\">–</td><td class=\"n na\">–</td>";

std::string size_words(const std::optional<uint64_t>& size) {
  return size ? byte_text(static_cast<double>(*size)) : std::string();
}

std::string cell_html(const Grid::Cell& cell, bool is_name, bool is_number) {
  const std::string text = cell.is_missing ? "<span class=\"na\">NA</span>" : shown(cell.text);
  if (is_name) return fmt::format("<th scope=\"row\">{}</th>", text.empty() ? std::string(kEmptyName) : text);
  return fmt::format("<td{}>{}</td>", is_number ? " class=\"n\"" : "", text);
}

// Returns "12,346", "1.23" or "1.2e-07".
std::string three_digits(double value) {
  return std::abs(value) >= 100 ? number_words(std::round(value)) : fmt::format("{:.3g}", value);
}

// Returns the cells of a level's numbers. A level without a value has none.
std::string numbers_html(const Statistics& numbers) {
  if (numbers.values == 0) return kNoNumbers;
  return fmt::format("<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{} · {} · {}</td>",
                     share_words(numbers.share_above()), three_digits(numbers.mean),
                     three_digits(numbers.quartiles[0]), three_digits(numbers.quartiles[1]),
                     three_digits(numbers.quartiles[2]));
}

std::string level_row_html(const LevelRow& row, const Distribution& distribution, bool has_counts) {
  std::string name = row.is_missing     ? "<span class=\"na\">missing</span>"
                     : row.name.empty() ? kEmptyName
                                        : shown(shortened(row.name, kMostLevelBytes));
  if (!row.href.empty()) name = fmt::format("<a href=\"{}\">{}</a>", escaped(row.href), name);
  std::string html =
      fmt::format("<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td>", name, count_words(row.cells));
  if (has_counts) html += fmt::format("<td class=\"n\">{}</td>", count_words(row.numbers.values));
  if (distribution.has_numbers)
    html += numbers_html(row.numbers);
  else
    html += fmt::format("<td class=\"n\">{}</td>", share_words(static_cast<double>(row.cells) /
                                                               static_cast<double>(distribution.cells)));
  return html + (row.shape.empty() ? "" : "<td>" + small_bars(row.shape) + "</td>") + "</tr>\n";
}

// Screen readers need an empty header to be an ordinary cell.
std::string header_html(const Grid::Header& header) {
  if (header.name.empty()) return "<td></td>";
  std::string name = shown(header.name) + header.mark;
  if (!header.href.empty()) name = fmt::format("<a href=\"{}\">{}</a>", escaped(header.href), name);
  if (!header.summary.empty()) name += fmt::format("<small>{}</small>", shown(header.summary));
  return fmt::format("<th scope=\"col\"{}>{}</th>", header.is_number ? " class=\"n\"" : "", name);
}

// Returns whether it is a part that a Seurat object keeps beside its data, and that few users look for.
bool is_folded(const std::string& name) {
  constexpr std::string_view kFolded[] = {"commands/", "misc/", "tools/"};
  return std::any_of(std::begin(kFolded), std::end(kFolded),
                     [&](std::string_view part) { return name.starts_with(part); });
}

// Returns the forms that cannot be read, those with the same reason together: "csv, npy: 3 bytes, expected
// 8".
std::string faults_html(const std::vector<TakeAs>& forms) {
  std::vector<std::pair<std::string, std::string>> faults;  // reason, labels
  for (const TakeAs& form : forms) {
    if (form.fault.empty()) continue;
    const auto known = std::find_if(faults.begin(), faults.end(),
                                    [&](const auto& fault) { return fault.first == form.fault; });
    if (known == faults.end())
      faults.emplace_back(form.fault, form.label);
    else
      known->second += ", " + form.label;
  }
  std::string html;
  for (const auto& [reason, labels] : faults)
    html += fmt::format("<small class=\"no\">no {}: {}</small>", shown(labels), shown(reason));
  return html;
}

std::string forms_html(const std::vector<TakeAs>& forms) {
  std::string html = "<span class=\"views\">";
  for (const TakeAs& form : forms) {
    if (!form.fault.empty()) continue;
    const std::string size = size_words(form.size);
    html += fmt::format("<a href=\"{}\">{}{}</a>", escaped(form.href), shown(form.label),
                        size.empty() ? "" : " <small>" + size + "</small>");
  }
  return html + "</span>" + faults_html(forms);
}

std::string rows_html(const std::vector<const ContentRow*>& rows) {
  std::string html =
      "<div class=\"wrap\"><table class=\"list\"><thead><tr><th scope=\"col\">Name</th><th "
      "scope=\"col\">Kind</th>"
      "<th scope=\"col\">Contents</th><th scope=\"col\">Download as</th></tr></thead><tbody>\n";
  for (const ContentRow* row : rows)
    html += fmt::format(
        "<tr><th scope=\"row\"><a href=\"{}\">{}</a></th><td class=\"kind\">{}</td><td "
        "class=\"shape\">{}</td>"
        "<td class=\"v\">{}</td></tr>\n",
        escaped(row->href), shown(row->name), shown(row->kind), shown(row->shape), forms_html(row->views));
  return html + "</tbody></table></div>\n";
}

std::string field_html(const FormField& field) {
  std::string html = fmt::format("<label>{}", shown(field.label));
  if (field.is_choice) {
    html += fmt::format("<select name=\"{}\">", escaped(field.name));
    for (const FormField::Option& option : field.options)
      html += fmt::format("<option value=\"{}\"{}>{}</option>", escaped(option.value),
                          option.value == field.value ? " selected" : "", shown(option.text));
    return html + "</select></label>";
  }
  html += fmt::format(
      "<input name=\"{}\" value=\"{}\"{}{}></label>", escaped(field.name), shown(field.value),
      field.is_number ? " type=\"number\" step=\"any\"" : " autocomplete=\"off\" spellcheck=\"false\"",
      field.options.empty() ? "" : fmt::format(" list=\"list-{}\"", field.name));
  if (field.options.empty()) return html;
  html += fmt::format("<datalist id=\"list-{}\">", field.name);
  for (const FormField::Option& option : field.options)
    html += fmt::format("<option value=\"{}\"></option>", shown(option.value));
  return html + "</datalist>";
}

std::string facts_html(const std::vector<Fact>& facts) {
  if (facts.empty()) return {};
  std::string html = "<dl class=\"facts\">";
  for (const Fact& fact : facts)
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", shown(fact.name), shown(fact.value));
  return html + "</dl>\n";
}

std::string contents_html(const PageModel& page) {
  std::vector<const ContentRow*> shown_rows, folded;
  for (const ContentRow& row : page.contents) (is_folded(row.name) ? folded : shown_rows).push_back(&row);
  std::string html;
  if (!shown_rows.empty()) html += "<h2>Contents</h2>" + rows_html(shown_rows);
  if (!folded.empty())
    html +=
        fmt::format("<details><summary>{} more in commands, misc, tools and the like</summary>{}</details>\n",
                    folded.size(), rows_html(folded));
  if (page.is_cut) html += "<p class=\"sub\">More names are in the list of all names below.</p>\n";
  return html;
}

std::string grid_html(const Grid& grid) {
  std::string html = fmt::format(
      "<h2>Rows</h2><div class=\"wrap\" tabindex=\"0\" role=\"region\" aria-label=\"Rows\"><table "
      "class=\"first\"><caption>{}</caption><thead><tr>",
      shown(grid.caption));
  for (size_t i = 0; i < grid.header.size(); ++i) {
    const Grid::Header& header = grid.header[i];
    html += header_html(header);
  }
  html += "</tr></thead><tbody>\n";
  for (const std::vector<Grid::Cell>& row : grid.rows) {
    html += "<tr>";
    for (size_t i = 0; i < row.size(); ++i)
      html += cell_html(row[i], i == 0 && grid.has_names, i < grid.header.size() && grid.header[i].is_number);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string figure_list(const std::vector<Figure>& figures) {
  std::string html;
  for (const Figure& figure : figures)
    html += fmt::format("<figure><h2>{}</h2>{}<figcaption>{}</figcaption></figure>\n", shown(figure.title),
                        figure.html, shown(figure.caption));
  return html;
}

std::string distribution_caption(const Distribution& distribution) {
  const std::string caption = distribution.of == distribution.by ? "Cells by " + distribution.by
                                                                 : distribution.of + " by " + distribution.by;
  if (distribution.more == 0) return caption;
  const size_t shown_levels = distribution.rows.size() - (distribution.rows.back().is_missing ? 1 : 0);
  return fmt::format("{}: the {} of {} levels with the {}", caption, shown_levels,
                     count_words(shown_levels + distribution.more),
                     distribution.has_numbers ? "highest means" : "most cells");
}

std::string distribution_html(const Distribution& distribution) {
  const bool has_shapes = std::any_of(distribution.rows.begin(), distribution.rows.end(),
                                      [](const LevelRow& row) { return !row.shape.empty(); });
  // The number of values stands beside that of cells if some cells have no value.
  const bool has_counts = distribution.has_numbers &&
                          std::any_of(distribution.rows.begin(), distribution.rows.end(),
                                      [](const LevelRow& row) { return row.numbers.values != row.cells; });
  std::string html = fmt::format(
      "<div class=\"wrap\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table "
      "class=\"dist\"><caption>{0}"
      "</caption><thead><tr><th scope=\"col\">{1}</th><th scope=\"col\" "
      "class=\"n\">cells</th>{2}{3}{4}</tr></thead>"
      "<tbody>\n",
      shown(distribution_caption(distribution)), shown(distribution.by),
      has_counts ? "<th scope=\"col\" class=\"n\">values</th>" : "",
      distribution.has_numbers
          ? "<th scope=\"col\" class=\"n\">above 0</th><th scope=\"col\" class=\"n\">mean</th>"
            "<th scope=\"col\" class=\"n\">quartiles</th>"
          : "<th scope=\"col\" class=\"n\">share</th>",
      has_shapes ? fmt::format("<th scope=\"col\">{}</th>", distribution.shape_words) : "");
  for (const LevelRow& row : distribution.rows) html += level_row_html(row, distribution, has_counts);
  return html + "</tbody></table></div>\n";
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

std::string instructions_html(const PageModel& page) {
  std::string html;
  for (const Instruction& one : page.instructions)
    html += fmt::format("<div class=\"cmd\"><b>{}</b><pre tabindex=\"0\">{}</pre></div>\n",
                        shown(one.program), shown_lines(one.text));
  if (!html.empty()) html.insert(0, "<h2>Open it with</h2>\n");
  if (!page.viewers.empty()) {
    html += "<p>Viewers that read it from here; the data go only to this browser: ";
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
    if (++count > kMostEntries) continue;
    const char* const slash = entry.is_folder ? "/" : "";
    rows += fmt::format(
        "<tr><th scope=\"row\"><a href=\"{}{}\">{}{}</a></th><td>{}</td><td class=\"n\">{}</td></tr>\n",
        escaped(percent_encoded(entry.name)), slash, shown(entry.name), slash,
        !entry.error.empty() ? shown(entry.error)
        : entry.is_link      ? "link"
                             : shown(entry.fault),
        size_words(entry.size));
  }
  return fmt::format(
      "<details><summary>{} in this folder</summary><div class=\"wrap\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"All names\"><table><thead><tr><th scope=\"col\">Name</th><th scope=\"col\">What</th><th "
      "scope=\"col\" class=\"n\">Size</th></tr></thead><tbody>\n{}</tbody></table></div></details>\n",
      count > kMostEntries ? fmt::format("The first {} of {} names", kMostEntries, count_words(count))
      : count == 1         ? "The one name"
                           : fmt::format("All {} names", count),
      rows);
}

std::string form_html(const Form& form) {
  std::string html = "<form method=\"get\">";
  for (const auto& [name, value] : form.hidden)
    html += fmt::format("<input type=\"hidden\" name=\"{}\" value=\"{}\">", escaped(name), escaped(value));
  for (const FormField& field : form.fields) html += field_html(field);
  return html + "<button>Show</button></form>\n";
}

std::string picks_html(const Picks& picks) {
  std::string html = fmt::format("<p class=\"pick\">{}: ", shown(picks.words));
  for (const TakeAs& link : picks.links)
    html += fmt::format("<a href=\"{}\"{}>{}</a> ", escaped(link.href),
                        link.label == picks.current ? " aria-current=\"true\"" : "", shown(link.label));
  return html + "</p>\n";
}

std::string problem_html(const Problem& problem) {
  std::string html = fmt::format("<p class=\"note\" role=\"alert\">{}", shown(problem.text));
  if (!problem.near.empty()) html += problem.near.size() == 1 ? " The nearest is " : " The nearest are ";
  for (size_t i = 0; i < problem.near.size(); ++i)
    html += fmt::format("{}<a href=\"{}\">{}</a>", i == 0 ? "" : ", ", escaped(problem.near[i].href),
                        shown(problem.near[i].label));
  return html + (problem.near.empty() ? "" : ".") + "</p>\n";
}

std::string cards_html(const std::vector<StoreCard>& stores) {
  if (stores.empty()) return {};
  std::string html = "<ul class=\"cards\">\n";
  for (const StoreCard& store : stores) {
    const std::string size = size_words(store.size);
    html += fmt::format(
        "<li><a class=\"thumb\" href=\"{0}\" tabindex=\"-1\" aria-hidden=\"true\">{1}</a><div><b><a "
        "href=\"{0}\">{2}</a>"
        "</b> <small>{3}</small><p>{4}</p></div><div class=\"end\">{5}{6}{7}</div></li>\n",
        escaped(store.href), store.thumbnail, shown(store.name), shown(store.kind),
        shown(store.error.empty() ? store.what : store.error), size, size.empty() ? "" : "<br>",
        shown(store.date));
  }
  return html + "</ul>\n";
}

std::string names_html(const std::vector<ContentRow>& names) {
  if (names.empty()) return {};
  std::string html = "<ul class=\"names\">\n";
  for (const ContentRow& name : names) {
    html += fmt::format("<li><a href=\"{}\">{}</a>", escaped(name.href), shown(name.name));
    for (const TakeAs& file : name.views)
      html += fmt::format(" <small><a href=\"{}\">{}</a></small>", escaped(file.href), shown(file.label));
    html += "</li>\n";
  }
  return html + "</ul>\n";
}

std::string pager_html(const Pager& pager) {
  std::string html =
      fmt::format("<nav class=\"pager\" aria-label=\"Pages\"><span>{}</span>", shown(pager.words));
  for (const TakeAs& link : pager.links)
    html += fmt::format("<a href=\"{}\">{}</a>", escaped(link.href), shown(link.label));
  return html + "</nav>\n";
}

// Returns the form and the links that choose what the page shows.
std::string choices_html(const PageModel& page) {
  std::string html;
  if (page.form) html += form_html(*page.form);
  if (!page.picks.empty()) html += "<div class=\"picks\">";
  for (const Picks& picks : page.picks) html += picks_html(picks);
  if (!page.picks.empty()) html += "</div>\n";
  return html;
}

// Returns the pictures and the parts beside them.
std::string pictures_html(const PageModel& page) {
  const std::string first = figure_list(page.figures);
  std::string second = page.has_form_beside ? choices_html(page) : "";
  second += figure_list(page.beside);
  if (page.distribution) second += distribution_html(*page.distribution);
  if (page.downloads) second += "<h2>" + page.downloads->words + "</h2>" + forms_html(page.downloads->links);
  if (first.empty() || second.empty()) return first + second;
  return fmt::format("<div class=\"cols\"><section>{}</section><section>{}</section></div>\n", first, second);
}

}  // namespace

// A picture or the rows come before the downloads and the contents.
std::string html_of(const PageModel& page) {
  std::string html = facts_html(page.facts);
  for (const std::string& note : page.notes)
    html += fmt::format("<p class=\"note\">{}</p>\n", escaped(printable(note)));
  for (const Problem& problem : page.problems) html += problem_html(problem);
  if (!page.has_form_beside) html += choices_html(page);
  const std::string pictures = pictures_html(page) + cards_html(page.stores) + names_html(page.names);
  const bool has_rows_first = page.first && (page.figures.empty() || page.has_rows_asked);
  if (!page.has_rows_asked) html += pictures;
  if (has_rows_first) html += grid_html(*page.first);
  if (page.pager) html += pager_html(*page.pager);
  if (page.has_rows_asked) html += pictures;
  // A page with neither a picture nor rows shows its contents first.
  const bool has_contents_first = page.figures.empty() && !page.first && page.stores.empty();
  if (has_contents_first) html += contents_html(page);
  if (!page.views.empty()) html += "<h2>Download as</h2>" + forms_html(page.views) + "\n";
  if (!page.by_name.empty()) html += "<h2>By name</h2>" + forms_html(page.by_name) + "\n";
  html += instructions_html(page);
  if (!has_rows_first && page.first) html += grid_html(*page.first);
  html += columns_html(page.columns);
  if (!has_contents_first) html += contents_html(page);
  return html + attributes_html(page.attributes) + entries_html(page.entries);
}

}  // namespace plainfs::serve
