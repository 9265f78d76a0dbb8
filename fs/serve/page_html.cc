#include "fs/serve/page_html.h"

#include <fmt/format.h>

#include "formats/core/text/percent.h"
#include "formats/core/text/printable.h"
#include "fs/info.h"
#include "fs/report/progress.h"
#include "fs/serve/page_text.h"

namespace plainfs::serve {
namespace {

// How pages look: light and dark, wide and narrow. The policy of each page names the style by its hash, so
// that nothing else in it can be one; a test computes the hash anew.
constexpr std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--bg:#fff;--fg:#1a1d21;--soft:#5a6370;--line:#d9dee4;--card:#f6f8fa;--link:#0b57b7;--mark:#e8f0fb;--r:.5rem;--c0:#0072b2;--c1:#d55e00;--c2:#008f68;--c3:#c05f98;--c4:#b87d00;--c5:#2f9bd6;--c6:#7a6f00;--c7:#707070;--s0:#bfd4ea;--s1:#a2c1e0;--s2:#84add5;--s3:#6698c8;--s4:#4982b8;--s5:#316ba4;--s6:#1e548c;--s7:#0e3d70}
@media(prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e7eaee;--soft:#a3adb9;--line:#30363d;--card:#1c2127;--link:#7db4ff;--mark:#1d2b40;--c0:#58aef0;--c1:#ff8a3d;--c2:#2fc79a;--c3:#f092c8;--c4:#ffc04d;--c5:#8fd3ff;--c6:#e3d84a;--c7:#b8b8b8;--s0:#2c4766;--s1:#375a80;--s2:#446e9a;--s3:#5383b3;--s4:#6699ca;--s5:#80b0dd;--s6:#a2c8ed;--s7:#cbe1fa}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main,header,footer{max-width:76rem;margin:auto;padding:0 1.25rem}
header{padding-top:1rem}
a{color:var(--link);text-decoration-thickness:.06em;text-underline-offset:.15em}
a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-99em}
.skip:focus{left:1rem;background:var(--bg);padding:.4rem}
nav ol{display:flex;flex-wrap:wrap;gap:.15rem;list-style:none;margin:0;padding:0;color:var(--soft);font-size:.9rem}
nav li+li:before{content:"/";margin-right:.15rem}
h1{font-size:1.6rem;line-height:1.2;margin:.35rem 0 .15rem;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:2rem 0 .6rem}
.sub{color:var(--soft);margin:0;overflow-wrap:anywhere}
.wrap{overflow-x:auto;border:1px solid var(--line);border-radius:var(--r)}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;color:var(--soft);font-size:.85rem;padding:.5rem .75rem}
th,td{text-align:left;padding:.42rem .75rem;border-top:1px solid var(--line);vertical-align:baseline}
thead th{border-top:0;color:var(--soft);font-weight:600;font-size:.82rem;white-space:nowrap}
tbody th{font-weight:600}
.first thead th{border-top:1px solid var(--line)}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.na{color:var(--soft);font-style:italic}
tbody tr:hover{background:var(--mark)}
.first td,.first th{white-space:nowrap;max-width:18rem;overflow:hidden;text-overflow:ellipsis}
.first tbody th{position:sticky;left:0;background:var(--bg)}
.kind{white-space:nowrap;color:var(--soft)}
pre{margin:0;padding:.7rem .8rem;background:var(--card);border:1px solid var(--line);border-radius:var(--r);overflow-x:auto;font:.85rem/1.5 ui-monospace,"DejaVu Sans Mono",monospace}
.cmd{margin:0 0 .6rem}
.cmd b{display:block;font-size:.85rem;font-weight:600;margin-bottom:.2rem}
.facts{display:flex;flex-wrap:wrap;gap:.4rem 1.6rem;margin:.8rem 0 0;padding:0}
.facts div{display:flex;flex-direction:column-reverse}
.facts dt{font-size:.8rem;color:var(--soft)}
.facts dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.shape{overflow-wrap:anywhere}
.note{border-left:.25rem solid var(--c1);padding:.3rem .75rem;margin:.8rem 0;overflow-wrap:anywhere}
.views{display:flex;flex-wrap:wrap;gap:.3rem}
.views a{display:inline-flex;gap:.4em;padding:.1rem .5rem;border:1px solid var(--line);border-radius:1rem;background:var(--card);text-decoration:none;white-space:nowrap;font-size:.85rem;max-width:100%;overflow:hidden;text-overflow:ellipsis}
.views a:hover{border-color:var(--link)}
.views small{color:var(--soft)}
.cols{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1.5rem}
.cols>*{min-width:0}
figure{margin:0}
figcaption{font-size:.85rem;color:var(--soft);margin-top:.4rem}
.plot{width:100%;height:auto;max-height:26rem;border:1px solid var(--line);border-radius:var(--r);background:var(--card);display:block}
.plot path,.key path{fill:none;stroke-linecap:round}
.plot text{fill:var(--soft);font-size:11px}
.plot .at{fill:var(--fg);font-size:13px;font-weight:600;paint-order:stroke;stroke:var(--card);stroke-width:3px}
.bar{fill:var(--c0)}
.px{width:100%;max-width:26rem;height:auto;image-rendering:pixelated;border:1px solid var(--line);border-radius:var(--r);display:block}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:.5rem 0 0;padding:0;font-size:.88rem}
.key svg{width:.85em;height:.85em;margin-right:.4em;vertical-align:-.05em}
.pick{display:flex;flex-wrap:wrap;gap:.3rem .8rem;font-size:.88rem;margin:0 0 .6rem;color:var(--soft)}
.pick [aria-current]{color:var(--fg);font-weight:600;text-decoration:none}
details{border:1px solid var(--line);border-radius:var(--r);margin:.6rem 0}
summary{cursor:pointer;padding:.55rem .75rem;font-weight:600}
details .wrap{border:0;border-top:1px solid var(--line);border-radius:0}
.k0{stroke:var(--c0)}
.k1{stroke:var(--c1)}
.k2{stroke:var(--c2)}
.k3{stroke:var(--c3)}
.k4{stroke:var(--c4)}
.k5{stroke:var(--c5)}
.k6{stroke:var(--c6)}
.k7{stroke:var(--c7)}
.r0{stroke:var(--s0)}
.r1{stroke:var(--s1)}
.r2{stroke:var(--s2)}
.r3{stroke:var(--s3)}
.r4{stroke:var(--s4)}
.r5{stroke:var(--s5)}
.r6{stroke:var(--s6)}
.r7{stroke:var(--s7)}
.k-{stroke:var(--line)}
footer{color:var(--soft);font-size:.85rem;padding:2rem 1.25rem}
@media(max-width:46rem){.cols{grid-template-columns:minmax(0,1fr)}.list td.v{grid-column:1/-1;padding-top:.3rem}.views a{padding:.3rem .7rem}.shape{color:var(--soft)}.list thead{display:none}.list tr{display:grid;grid-template-columns:auto 1fr;gap:.1rem .75rem;padding:.5rem .75rem;border-top:1px solid var(--line)}.list tr:first-child{border-top:0}.list td,.list th{padding:0;border:0}.list th{grid-column:1/-1;overflow-wrap:anywhere}h1{font-size:1.35rem}}
)css";

constexpr std::string_view kPageStyleHash = "sha256-QcpwU9rFiJksG2x2ghxv3hbKLJRLU7cwEabzznralu0=";

// The folders above, each a link. Of a file's page the folder it lies in is the last of them.
std::string path_html(const Asked& asked, bool is_folder) {
  std::string html;
  const size_t count = asked.names.size();
  for (size_t i = 0; i <= count; ++i) {
    const std::string name = i == 0 ? "top" : printable(asked.names[i - 1]);
    if (i == count) {
      html += fmt::format("<li><span aria-current=\"page\">{}</span></li>", escaped(name));
      break;
    }
    const size_t up = count - i - (is_folder ? 0 : 1);
    std::string way;
    for (size_t j = 0; j < up; ++j) way += "../";
    html += fmt::format("<li><a href=\"{}\">{}</a></li>", way.empty() ? "./" : way, escaped(name));
  }
  return html;
}

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

void answer_page(const Asked& asked, const Page& page) {
  const std::string title = escaped(printable(page.title));
  std::string html = fmt::format(
      "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<title>{} · plainfs</title><link rel=\"icon\" href=\"data:,\"><style>{}</style></head>\n"
      "<body><a class=\"skip\" href=\"#in\">Skip to the contents</a>"
      "<header><nav aria-label=\"Path\"><ol>{}</ol></nav><h1>{}</h1><p class=\"sub\">{}</p></header>\n"
      "<main id=\"in\">{}</main>\n",
      title, kPageStyle, path_html(asked, asked.target.is_folder), title, escaped(printable(page.sub)),
      page.body);
  html += fmt::format("<footer>plainfs {} · read-only{}</footer></body></html>\n", escaped(version_text()),
                      page.has_json ? fmt::format(" · <a href=\"?json\">this page as JSON</a>{}",
                                                  asked.target.is_folder
                                                      ? " · <a href=\"?plain\">as a plain list</a> · WebDAV "
                                                        "at this address"
                                                      : "")
                                    : std::string());
  asked.reply.add("Content-Security-Policy",
                  fmt::format("default-src 'none'; style-src '{}'; img-src 'self' data:; base-uri 'none'; "
                              "form-action 'none'; frame-ancestors 'none'",
                              kPageStyleHash));
  asked.reply.add("Cache-Control", "no-cache");
  asked.reply.whole(200, "text/html; charset=utf-8", html);
}

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
