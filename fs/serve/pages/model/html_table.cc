#include "fs/serve/pages/model/html_table.h"

#include <fmt/format.h>

#include "formats/core/text/markup.h"

namespace plainfs::serve {
namespace {

std::string class_of(const std::string& kind) {
  return kind.empty() ? std::string() : fmt::format(" class=\"{}\"", kind);
}

std::string header_of(const std::vector<HtmlTable::Column>& columns) {
  std::string html = "<thead><tr>";
  for (const HtmlTable::Column& column : columns)
    html += column.name.empty() ? "<td></td>"
                                : fmt::format("<th scope=\"col\"{}>{}</th>",
                                              column.kind == "n" ? class_of("n") : "", column.name);
  return html + "</tr></thead>";
}

}  // namespace

std::string link(std::string_view href, std::string_view text, std::string_view attributes) {
  return fmt::format("<a href=\"{}\"{}>{}</a>", escaped(href), attributes, text);
}

std::string HtmlTable::html() const {
  const std::string region =
      label.empty() ? "" : fmt::format(" tabindex=\"0\" role=\"region\" aria-label=\"{}\"", label);
  std::string html = fmt::format("<div class=\"wrap\"{}><table{}{}>", region, class_of(kind),
                                 name.empty() ? "" : fmt::format(" aria-label=\"{}\"", name));
  if (!caption.empty()) html += fmt::format("<caption>{}</caption>", caption);
  if (has_header) html += header_of(columns);
  html += "<tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    html += "<tr>";
    for (size_t i = 0; i < row.size(); ++i)
      html += i == 0 && has_row_names
                  ? fmt::format("<th scope=\"row\">{}</th>", row[i])
                  : fmt::format("<td{}>{}</td>", i < columns.size() ? class_of(columns[i].kind) : "", row[i]);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>";
}

}  // namespace plainfs::serve
