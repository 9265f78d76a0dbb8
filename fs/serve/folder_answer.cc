// Folders: a page for people, a plain list for programs that follow links (wget, fsspec, rclone), JSON for
// others.
#include <fmt/format.h>

#include "formats/core/text/json.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/printable.h"
#include "fs/commands/progress.h"
#include "fs/serve/field_text.h"
#include "fs/serve/folder.h"
#include "fs/serve/page.h"
#include "fs/serve/page_text.h"

namespace plainfs::serve {
namespace {

enum class Form { kPage, kList, kJson };

// Browsers say that they take HTML; programs say that they take anything. Those get no link but to what there
// is, so that what follows links comes to each file once.
Form wanted_form(const Asked& asked) {
  const std::string& query = asked.target.query;
  if (query == "json") return Form::kJson;
  if (query == "plain") return Form::kList;
  if (query == "page") return Form::kPage;
  const std::string accept = asked.request.field("Accept");
  if (accept.find("text/html") != std::string::npos) return Form::kPage;
  return accept.find("application/json") != std::string::npos ? Form::kJson : Form::kList;
}

std::string link_of(const FolderEntry& entry) {
  return percent_encoded(entry.name) + (entry.is_folder ? "/" : "");
}

std::string shown_name(const FolderEntry& entry) {
  return escaped(printable(entry.name)) + (entry.is_folder ? "/" : "");
}

// "2026-11-25 10:00"
std::string time_words(time_t seconds) {
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

void answer_json(const Asked& asked, const std::vector<FolderEntry>& entries) {
  Json::List list;
  for (const FolderEntry& entry : entries) {
    Json::Object one{
        {"name", entry.name}, {"href", link_of(entry)}, {"kind", entry.is_folder ? "folder" : "file"}};
    if (entry.is_link) one.emplace_back("link", true);
    if (!entry.error.empty()) one.emplace_back("error", entry.error);
    if (entry.error.empty() && !entry.is_folder)
      one.emplace_back("size", entry.size ? Json::of(*entry.size) : Json());
    if (entry.error.empty()) one.emplace_back("modified", http_date(entry.modified));
    list.emplace_back(std::move(one));
  }
  std::string path = "/";
  for (const std::string& name : asked.names) path += name + "/";
  asked.reply.add("Cache-Control", "no-cache");
  asked.reply.whole(200, "application/json",
                    to_json_text(Json::Object{{"path", path}, {"entries", std::move(list)}}) + "\n");
}

void answer_list(const Asked& asked, const std::vector<FolderEntry>& entries) {
  const std::string title =
      asked.names.empty() ? "/" : "/" + escaped(printable(fmt::format("{}/", fmt::join(asked.names, "/"))));
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>Index of {0}</title></head>\n"
      "<body><h1>Index of {0}</h1><pre>\n",
      title);
  for (const FolderEntry& entry : entries)
    html += fmt::format("<a href=\"{}\">{}</a> {} {}\n", escaped(link_of(entry)), shown_name(entry),
                        time_words(entry.modified), entry.size ? fmt::format("{}", *entry.size) : "-");
  html += "</pre></body></html>\n";
  asked.reply.add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  asked.reply.add("Cache-Control", "no-cache");
  asked.reply.whole(200, "text/html; charset=utf-8", html);
}

std::string rows_html(const std::vector<FolderEntry>& entries) {
  std::string html;
  for (const FolderEntry& entry : entries) {
    const std::string what = !entry.error.empty() ? entry.error
                             : entry.is_folder    ? "folder"
                                                  : std::string(media_type(entry.name));
    html += fmt::format(
        "<tr><th scope=\"row\"><a href=\"{}\">{}</a></th><td class=\"kind\">{}{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        escaped(link_of(entry)), shown_name(entry), entry.is_link ? "link to a " : "",
        escaped(what.substr(0, what.find(';'))),
        entry.size ? byte_text(static_cast<double>(*entry.size)) : "",
        entry.error.empty() ? time_words(entry.modified) : "");
  }
  return html;
}

// What to type to read the first file of a kind; empty where there is none.
struct Way {
  std::string_view program;
  std::string_view ending;
  std::string_view before;
  std::string_view after;
};
constexpr Way kWays[] = {
    {"R", ".rds", "x <- readRDS(url(\"", "\"))"},
    {"Python", ".csv", "x = pandas.read_csv(\"", "\")"},
    {"Python", ".h5ad", "x = h5py.File(\"", "\", driver=\"ros3\")  # or by fsspec"},
    {"Shell", "", "wget -r -np -nH ", ""},
};

std::string ways_html(const Asked& asked, const std::vector<FolderEntry>& entries) {
  std::string html;
  for (const Way& way : kWays) {
    std::vector<std::string> names = asked.names;
    const auto named = std::find_if(entries.begin(), entries.end(), [&](const FolderEntry& entry) {
      return !way.ending.empty() && !entry.is_folder && entry.name.ends_with(way.ending);
    });
    if (!way.ending.empty() && named == entries.end()) continue;
    if (!way.ending.empty()) names.push_back(named->name);
    html += fmt::format(
        "<div class=\"cmd\"><b>{}</b><pre tabindex=\"0\">{}</pre></div>\n", way.program,
        escaped(fmt::format("{}{}{}", way.before, address_of(asked, names, way.ending.empty()), way.after)));
  }
  return html;
}

void answer_people(const Asked& asked, const Site::Place& folder, const std::vector<FolderEntry>& entries) {
  Page page;
  page.has_json = true;
  page.title = asked.names.empty() ? (asked.site.is_one_store() ? asked.site.stores()[0].name : "stores")
                                   : asked.names.back();
  const StorePtr store = folder.filesystem ? folder.filesystem->store() : nullptr;
  page.sub = fmt::format(
      "{}{} {}", store ? store->format + (store->version.empty() ? "" : " " + store->version) + " · " : "",
      entries.size(), entries.size() == 1 ? "name" : "names");
  page.body = fmt::format(
      "<h2>Contents</h2><div class=\"wrap\"><table class=\"list\"><thead><tr><th scope=\"col\">Name</th>"
      "<th scope=\"col\">Kind</th><th scope=\"col\" class=\"n\">Size</th>"
      "<th scope=\"col\" class=\"n\">Time (UTC)</th></tr></thead><tbody>\n{}</tbody></table></div>\n"
      "<h2>Open it with</h2>\n{}",
      rows_html(entries), ways_html(asked, entries));
  answer_page(asked, page);
}

}  // namespace

void answer_folder(const Asked& asked, const Site::Place& place) {
  const std::vector<FolderEntry> entries = folder_entries(asked, place);
  switch (wanted_form(asked)) {
    case Form::kPage:
      return answer_people(asked, place, entries);
    case Form::kList:
      return answer_list(asked, entries);
    case Form::kJson:
      return answer_json(asked, entries);
  }
}

}  // namespace plainfs::serve
