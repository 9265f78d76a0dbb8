#include "fs/serve/pages/model/page_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "formats/core/text/percent.h"
#include "formats/core/text/split.h"
#include "fs/report/progress.h"
#include "fs/report/words.h"
#include "fs/serve/pages/model/html_table.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxLevelBytes = 40;
constexpr size_t kMaxEntries = 500;

// Escapes text of plainfs and keeps its line breaks.
std::string shown_lines(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    if (!html.empty()) html += '\n';
    html += shown_text(take_part(text, '\n'));
  }
  return html;
}

constexpr const char* kEmptyName = "<span class=\"na\">(empty)</span>";
constexpr const char* kNoValues = "<span class=\"na\">no values</span>";
constexpr const char* kNoNumber = "<span class=\"na\">–</span>";

std::string size_text(const std::optional<uint64_t>& size) {
  return size ? byte_text(static_cast<double>(*size)) : std::string();
}

std::string cell_html(const Grid::Cell& cell, bool is_name) {
  const std::string text = cell.is_missing ? "<span class=\"na\">NA</span>" : shown_text(cell.text);
  if (is_name && text.empty()) return kEmptyName;
  return cell.href.empty() ? text : link(cell.href, text);
}

// Returns "12,346", "1.23" or "1.2e-07".
std::string three_digits(double value) {
  return std::abs(value) >= 100 ? number_text(std::round(value)) : fmt::format("{:.3g}", value);
}

std::string level_name(const LevelRow& row) {
  const std::string name = row.is_missing     ? "<span class=\"na\">missing</span>"
                           : row.name.empty() ? kEmptyName
                                              : shown_text(shortened(row.name, kMaxLevelBytes));
  return row.href.empty() ? name : link(row.href, name);
}

// A level without a value has no numbers.
std::vector<std::string> level_cells(const LevelRow& row, const Distribution& distribution, bool has_counts) {
  std::vector<std::string> cells{level_name(row), count_text(row.cells)};
  const Statistics& numbers = row.numbers;
  if (has_counts) cells.push_back(count_text(numbers.values));
  if (!distribution.has_numbers)
    cells.push_back(share_text(static_cast<double>(row.cells) / static_cast<double>(distribution.cells)));
  else if (numbers.values == 0)
    cells.insert(cells.end(), {kNoValues, kNoNumber, kNoNumber});
  else
    cells.insert(cells.end(),
                 {share_text(numbers.share_above()), three_digits(numbers.mean),
                  fmt::format("{} · {} · {}", three_digits(numbers.quartiles[0]),
                              three_digits(numbers.quartiles[1]), three_digits(numbers.quartiles[2]))});
  if (!row.shape.empty()) cells.push_back(small_bars(row.shape));
  return cells;
}

HtmlTable::Column column_of(const Grid::Header& header) {
  std::string name = shown_text(header.name) + header.mark;
  if (!header.href.empty()) name = link(header.href, name);
  if (!header.summary.empty()) name += fmt::format("<small>{}</small>", shown_text(header.summary));
  return {header.name.empty() ? std::string() : name, header.is_number ? "n" : ""};
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
    html += fmt::format("<small class=\"no\">no {}: {}</small>", shown_text(labels), shown_text(reason));
  return html;
}

std::string forms_html(const std::vector<TakeAs>& forms) {
  std::string html = "<span class=\"views\">";
  for (const TakeAs& form : forms) {
    if (!form.fault.empty()) continue;
    const std::string size = size_text(form.size);
    html += link(form.href, shown_text(form.label) + (size.empty() ? "" : " <small>" + size + "</small>"));
  }
  return html + "</span>" + faults_html(forms);
}

std::string section_html(const LeftOut& left_out) {
  const size_t all = left_out.lines.size() + left_out.more;
  std::string html = fmt::format("<details><summary>{} of the store {} not in {}</summary>\n<ul>\n",
                                 count_text(all, "part"), all == 1 ? "is" : "are", shown_text(left_out.file));
  for (const std::string& line : left_out.lines) html += "<li>" + shown_text(line) + "</li>\n";
  if (left_out.more > 0) html += fmt::format("<li>and {} more</li>\n", left_out.more);
  return html + "</ul></details>\n";
}

std::string rows_html(const std::vector<const ContentRow*>& rows, const char* name) {
  HtmlTable table;
  table.name = name;
  table.kind = "list";
  table.columns = {{"Name"}, {"Kind", "kind"}, {"Contents", "shape"}, {"Download as", "v"}};
  for (const ContentRow* row : rows)
    table.rows.push_back({link(row->href, shown_text(row->name)), shown_text(row->kind),
                          shown_text(row->shape), forms_html(row->views)});
  return table.html() + "\n";
}

std::string field_html(const FormField& field) {
  std::string html = fmt::format("<label>{}", shown_text(field.label));
  if (field.is_choice) {
    html += fmt::format("<select name=\"{}\">", escaped(field.name));
    for (const FormField::Option& option : field.options)
      html += fmt::format("<option value=\"{}\"{}>{}</option>", escaped(option.value),
                          option.value == field.value ? " selected" : "", shown_text(option.text));
    return html + "</select></label>";
  }
  html += fmt::format(
      "<input name=\"{}\" value=\"{}\"{}{}></label>", escaped(field.name), shown_text(field.value),
      field.is_number ? " type=\"number\" step=\"any\"" : " autocomplete=\"off\" spellcheck=\"false\"",
      field.options.empty() ? "" : fmt::format(" list=\"list-{}\"", field.name));
  if (field.options.empty()) return html;
  html += fmt::format("<datalist id=\"list-{}\">", field.name);
  for (const FormField::Option& option : field.options)
    html += fmt::format("<option value=\"{}\"></option>", shown_text(option.value));
  return html + "</datalist>";
}

std::string facts_html(const std::vector<Fact>& facts) {
  if (facts.empty()) return {};
  std::string html = "<dl class=\"facts\">";
  for (const Fact& fact : facts)
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", shown_text(fact.name), shown_text(fact.value));
  return html + "</dl>\n";
}

std::string section_html(const Contents& contents) {
  std::vector<const ContentRow*> shown_rows, folded;
  for (const ContentRow& row : contents.rows) (is_folded(row.name) ? folded : shown_rows).push_back(&row);
  std::string html;
  if (!shown_rows.empty()) html += "<h2>Contents</h2>" + rows_html(shown_rows, "Contents");
  if (!folded.empty())
    html +=
        fmt::format("<details><summary>{} more in commands, misc, tools and the like</summary>{}</details>\n",
                    folded.size(), rows_html(folded, "More contents"));
  if (contents.is_cut) html += "<p class=\"sub\">More names are in the list of all names below.</p>\n";
  return html;
}

std::string section_html(const Grid& grid) {
  HtmlTable table{grid.heading, "first", shown_text(grid.caption)};
  table.has_row_names = grid.has_names;
  for (const Grid::Header& header : grid.header) table.columns.push_back(column_of(header));
  for (const std::vector<Grid::Cell>& row : grid.rows) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) cells.push_back(cell_html(row[i], i == 0 && grid.has_names));
  }
  return fmt::format("<h2>{}</h2>{}\n", grid.heading, table.html());
}

std::string section_html(const Figure& figure) {
  return fmt::format("<figure><h2>{}</h2>{}<figcaption>{}</figcaption></figure>\n", shown_text(figure.title),
                     figure.html, shown_text(figure.caption));
}

std::string distribution_caption(const Distribution& distribution) {
  const std::string of = distribution.of + (distribution.matrix.empty() ? "" : " in " + distribution.matrix);
  const std::string caption =
      distribution.of == distribution.by ? "Cells by " + distribution.by : of + " by " + distribution.by;
  if (distribution.more == 0) return caption;
  const size_t shown_levels = distribution.rows.size() - (distribution.rows.back().is_missing ? 1 : 0);
  return fmt::format("{}: the {} of {} levels with the {}", caption, shown_levels,
                     count_text(shown_levels + distribution.more),
                     distribution.has_numbers ? "highest means" : "most cells");
}

std::string section_html(const Distribution& distribution) {
  const bool has_shapes = std::any_of(distribution.rows.begin(), distribution.rows.end(),
                                      [](const LevelRow& row) { return !row.shape.empty(); });
  // The number of values stands beside that of cells if some cells have no value.
  const bool has_counts = distribution.has_numbers &&
                          std::any_of(distribution.rows.begin(), distribution.rows.end(),
                                      [](const LevelRow& row) { return row.numbers.values != row.cells; });
  const std::string caption = shown_text(distribution_caption(distribution));
  HtmlTable table{caption, "dist", caption, {{shown_text(distribution.by)}, {"cells", "n"}}};
  if (has_counts) table.columns.push_back({"values", "n"});
  if (distribution.has_numbers)
    table.columns.insert(table.columns.end(), {{"above 0", "n"}, {"mean", "n"}, {"quartiles", "n"}});
  else
    table.columns.push_back({"share", "n"});
  if (has_shapes) table.columns.push_back({distribution.shape_text});
  for (const LevelRow& row : distribution.rows)
    table.rows.push_back(level_cells(row, distribution, has_counts));
  return table.html() + "\n";
}

// A cell has the mean, and below it the share above zero.
std::string section_html(const std::vector<Distribution>& genes) {
  const Distribution& first = genes.front();
  std::string caption = "Means and shares above zero by " + first.by;
  if (first.more > 0)
    caption += fmt::format(": the {} of {} levels with the most cells", first.rows.size(),
                           count_text(first.rows.size() + first.more));
  HtmlTable table{
      shown_text(caption), "several", shown_text(caption), {{shown_text(first.by)}, {"cells", "n"}}};
  for (const Distribution& gene : genes)
    table.columns.push_back(
        {shown_text(gene.matrix.empty() ? gene.of : gene.of + " in " + gene.matrix), "n"});
  for (size_t i = 0; i < first.rows.size(); ++i) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    cells = {level_name(first.rows[i]), count_text(first.rows[i].cells)};
    for (const Distribution& gene : genes) {
      const Statistics& numbers = gene.rows[i].numbers;
      cells.push_back(numbers.values == 0 ? kNoNumber
                                          : fmt::format("{} <small>{}</small>", three_digits(numbers.mean),
                                                        share_text(numbers.share_above())));
    }
  }
  return table.html() + "\n";
}

std::string section_html(const std::vector<ColumnFact>& columns) {
  HtmlTable table{"Columns", {}, {}, {{"Name"}, {"Type"}, {"Levels"}}};
  for (const ColumnFact& column : columns)
    table.rows.push_back({shown_text(column.name), shown_text(column.type), shown_text(column.levels)});
  return "<h2>Columns</h2>" + table.html() + "\n";
}

std::string section_html(const OpenWithLines& open) {
  std::string html;
  for (const Instruction& one : open.lines)
    html += fmt::format("<div class=\"cmd\"><b>{}</b><pre tabindex=\"0\">{}</pre></div>\n",
                        shown_text(one.program), shown_lines(one.text));
  if (!html.empty()) html.insert(0, "<h2>Open it with</h2>\n");
  if (open.viewers.empty()) return html;
  html += "<p>Viewers that read it from here; the data go only to this browser: ";
  for (const TakeAs& viewer : open.viewers)
    html += fmt::format("{}{}", &viewer == open.viewers.data() ? "" : ", ",
                        link(viewer.href, shown_text(viewer.label), " rel=\"noreferrer\""));
  return html + "</p>\n";
}

std::string section_html(const std::vector<Fact>& attributes) {
  HtmlTable table{"Attributes"};
  table.has_header = false;
  for (const Fact& attribute : attributes)
    table.rows.push_back({shown_text(attribute.name), shown_text(attribute.value)});
  return "<details><summary>Attributes</summary>" + table.html() + "</details>\n";
}

std::string section_html(const std::vector<FolderEntry>& entries) {
  if (entries.empty()) return {};
  HtmlTable table{"All names", {}, {}, {{"Name"}, {"What"}, {"Size", "n"}}};
  size_t count = 0;
  for (const FolderEntry& entry : entries) {
    if (entry.is_unlisted) continue;
    if (++count > kMaxEntries) continue;
    const char* const slash = entry.is_folder ? "/" : "";
    table.rows.push_back({link(percent_encoded(entry.name) + slash, shown_text(entry.name) + slash),
                          !entry.error.empty() ? shown_text(entry.error)
                          : entry.is_link      ? "link"
                                               : shown_text(entry.fault),
                          size_text(entry.size)});
  }
  const std::string names = count > kMaxEntries
                                ? fmt::format("The first {} of {} names", kMaxEntries, count_text(count))
                            : count == 1 ? "The one name"
                                         : fmt::format("All {} names", count);
  return fmt::format("<details><summary>{} in this folder</summary>{}</details>\n", names, table.html());
}

std::string section_html(const Form& form) {
  std::string html = "<form method=\"get\">";
  for (const auto& [name, value] : form.hidden)
    html += fmt::format("<input type=\"hidden\" name=\"{}\" value=\"{}\">", escaped(name), escaped(value));
  for (const FormField& field : form.fields) html += field_html(field);
  return html + "<button>Show</button></form>\n";
}

std::string picks_html(const Picks& picks) {
  std::string html = fmt::format("<p class=\"pick\">{}: ", shown_text(picks.text));
  for (const TakeAs& each : picks.links)
    html +=
        link(each.href, shown_text(each.label), each.label == picks.current ? " aria-current=\"true\"" : "") +
        " ";
  return html + "</p>\n";
}

std::string section_html(const std::vector<Picks>& lists) {
  std::string html = "<div class=\"picks\">";
  for (const Picks& picks : lists) html += picks_html(picks);
  return html + "</div>\n";
}

std::string problem_html(const Problem& problem) {
  std::string html = fmt::format("<p class=\"note\" role=\"alert\">{}", shown_text(problem.text));
  if (!problem.near.empty()) html += problem.near.size() == 1 ? " The nearest is " : " The nearest are ";
  for (size_t i = 0; i < problem.near.size(); ++i)
    html += (i == 0 ? "" : ", ") + link(problem.near[i].href, shown_text(problem.near[i].label));
  return html + (problem.near.empty() ? "" : ".") + "</p>\n";
}

std::string section_html(const std::vector<StoreCard>& stores) {
  std::string html = "<ul class=\"cards\">\n";
  for (const StoreCard& store : stores) {
    const std::string size = size_text(store.size);
    html += fmt::format(
        "<li><a class=\"thumb\" href=\"{0}\" tabindex=\"-1\" aria-hidden=\"true\">{1}</a><div><b><a "
        "href=\"{0}\">{2}</a>"
        "</b> <small>{3}</small><p>{4}</p></div><div class=\"end\">{5}{6}{7}</div></li>\n",
        escaped(store.href), store.thumbnail, shown_text(store.name), shown_text(store.kind),
        shown_text(store.error.empty() ? store.what : store.error), size, size.empty() ? "" : "<br>",
        shown_text(store.date));
  }
  return html + "</ul>\n";
}

std::string section_html(const std::vector<ContentRow>& names) {
  std::string html = "<ul class=\"names\">\n";
  for (const ContentRow& name : names) {
    html += "<li>" + link(name.href, shown_text(name.name));
    for (const TakeAs& file : name.views)
      html += fmt::format(" <small>{}</small>", link(file.href, shown_text(file.label)));
    html += "</li>\n";
  }
  return html + "</ul>\n";
}

std::string section_html(const Attachment&) {
  return {};
}

std::string section_html(const Pager& pager) {
  const uint64_t from = pager.from, end = std::min(from + pager.on_page, pager.all);
  std::string html = fmt::format("<nav class=\"pager\" aria-label=\"Pages\"><span>{} {} to {} of {}</span>",
                                 pager.what, count_text(from + 1), count_text(end), count_text(pager.all));
  const auto add = [&](const char* text, uint64_t first) {
    html += link(pager.query.with("from", first == 0 ? "" : std::to_string(first)).href(), text);
  };
  if (from > 0) add("first", 0);
  if (from > 0) add("← before", from - std::min(from, pager.on_page));
  if (end < pager.all) add("next →", end);
  if (end < pager.all) add("last", (pager.all - 1) / pager.on_page * pager.on_page);
  return html + "</nav>\n";
}

std::string section_html(const Forms& forms) {
  return fmt::format("<h2>{}</h2>{}\n", shown_text(forms.heading), forms_html(forms.forms));
}

std::string section_html(const SideBySide& sections);

std::string sections_html(const std::vector<Section>& sections) {
  std::string html;
  for (const Section& section : sections)
    html += std::visit([](const auto& content) { return section_html(content); }, section.content);
  return html;
}

std::string section_html(const SideBySide& sections) {
  const std::string first = sections_html(sections.first), second = sections_html(sections.second);
  if (first.empty() || second.empty()) return first + second;
  return fmt::format("<div class=\"cols\"><section>{}</section><section>{}</section></div>\n", first, second);
}

}  // namespace

std::string html_of(const PageModel& page) {
  std::string html = facts_html(page.facts);
  for (const std::string& note : page.notes)
    html += fmt::format("<p class=\"note\">{}</p>\n", shown_text(note));
  for (const Problem& problem : page.problems) html += problem_html(problem);
  return html + sections_html(page.sections);
}

}  // namespace plainfs::serve
