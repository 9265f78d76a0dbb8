#include "fs/serve/pages/folder/folder_answer.h"

#include <fmt/ranges.h>

#include <chrono>

#include "formats/core/text/http_date.h"
#include "formats/core/text/json.h"
#include "formats/core/text/percent.h"
#include "fs/report/words.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/folder/cells_question.h"
#include "fs/serve/pages/folder/chosen_cells.h"
#include "fs/serve/pages/folder/instructions.h"
#include "fs/serve/pages/folder/names_page.h"
#include "fs/serve/pages/folder/store_cards.h"
#include "fs/serve/pages/folder/subject_page.h"
#include "fs/serve/pages/image/plate_page.h"
#include "fs/serve/pages/model/number_table.h"
#include "fs/serve/pages/model/page_frame.h"
#include "fs/serve/pages/model/page_html.h"
#include "fs/serve/pages/model/page_json.h"
#include "fs/serve/pages/recording/traces.h"
#include "fs/serve/site/folder.h"
#include "fs/serve/site/generated_file.h"
#include "fs/views/file_forms.h"

namespace plainfs::serve {
namespace {

enum class PageForm { kPage, kList, kJson };

// Browsers accept HTML explicitly; other programs accept anything. Those get only links to the entries, so
// that a program that follows links visits each file once.
PageForm wanted_form(const Exchange& exchange) {
  const Query query(exchange.target.query);
  if (query.has("json")) return PageForm::kJson;
  if (query.has("plain")) return PageForm::kList;
  if (query.has("page")) return PageForm::kPage;
  const std::string accept = exchange.request.field("Accept");
  if (accept.find("text/html") != std::string::npos) return PageForm::kPage;
  return accept.find("application/json") != std::string::npos ? PageForm::kJson : PageForm::kList;
}

std::string link_of(const FolderEntry& entry) {
  return percent_encoded(entry.name) + (entry.is_folder ? "/" : "");
}

std::string shown_name(const FolderEntry& entry) {
  return shown_text(entry.name) + (entry.is_folder ? "/" : "");
}

void answer_json(const Exchange& exchange, const PageModel& page) {
  std::string path = fmt::format("/{}", fmt::join(exchange.names, "/"));
  if (exchange.target.is_folder && !exchange.names.empty()) path += "/";
  Json::Object all{{"path", path}};
  for (auto& [name, value] : json_of(page)) all.emplace_back(name, std::move(value));
  exchange.reply.add("Cache-Control", "no-cache");
  exchange.reply.whole(page.status, "application/json", to_json_text(std::move(all)) + "\n");
}

void answer_list(const Exchange& exchange, const std::vector<FolderEntry>& entries) {
  const std::string title =
      exchange.names.empty() ? "/" : "/" + shown_text(fmt::format("{}/", fmt::join(exchange.names, "/")));
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>Index of {0}</title></head>\n"
      "<body><h1>Index of {0}</h1><pre>\n",
      title);
  for (const FolderEntry& entry : entries)
    html += fmt::format("<a href=\"{}\">{}</a> {} {}\n", escaped(link_of(entry)), shown_name(entry),
                        utc_text(entry.modified, "%Y-%m-%d %H:%M"),
                        entry.size ? fmt::format("{}", *entry.size) : "-");
  html += "</pre></body></html>\n";
  exchange.reply.add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  exchange.reply.add("Cache-Control", "no-cache");
  exchange.reply.whole(200, "text/html; charset=utf-8", html);
}

const FileForm* form_of_numbers(const std::string& name) {
  const FileForm* const forms[] = {&forms::kTableCsv, &forms::kTableXlsx, &forms::kTableParquet};
  for (const FileForm* const form : forms)
    if (form->ending.substr(1) == name) return form;
  return nullptr;
}

void answer_numbers(const Exchange& exchange, const Subject& subject, const PageModel& page) {
  const std::string asked = Query(exchange.target.query).value("numbers").value_or("");
  const FileForm* const form = form_of_numbers(asked);
  if (!form) throw not_found("numbers={}: expected {}", shortened(asked, 60), fmt::join(kNumberForms, ", "));
  if (!page.problems.empty()) throw not_found("{}", page.problems[0].text);
  const auto* const numbers = page.find<Attachment>();
  if (!numbers && !page.notes.empty()) throw unsupported("{}", page.notes[0]);
  if (!numbers) throw not_found("no numbers here: expected ?color=GENE,GENE, ?markers= or ?stored=");
  const std::shared_ptr<ViewFile> file = generated_file(*form, Node{numbers->table}, subject.context());
  if (!file) throw not_found("no {} of these numbers", asked);
  answer_generated_file(exchange, *file, *form, numbers->name + std::string(form->ending));
}

Page frame_of_page(const PageModel& page) {
  return {page.title, page.sub, html_of(page), true, page.status, SIZE_MAX, page.has_script, page.shown};
}

// Shows a browser how much of a page is done if that takes longer than a moment.
class SlowPage {
 public:
  explicit SlowPage(const Exchange& exchange)
      : exchange_(exchange),
        may_begin_(wanted_form(exchange) == PageForm::kPage && !exchange.reply.is_head() &&
                   exchange.reply.can_be_chunked()) {}

  void show(const PageModel& page, const std::string& what, double share) {
    const auto now = Clock::now();
    if (!may_begin_ || now - begin_ < exchange_.settings.moment) return;
    const bool has_begun = exchange_.reply.has_begun();
    if (has_begun && now - shown_ < kBetweenLines) return;
    const std::string text = fmt::format("{}: {:.1f} % done", what, share * 100);
    if (has_begun && text == text_ && now - shown_ < kLongestSilence) return;
    if (!has_begun) begin_page(exchange_, {page.title, page.sub, {}, true, 200, SIZE_MAX, page.has_script});
    add_progress(exchange_, text);
    text_ = text;
    shown_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds kBetweenLines{500};
  static constexpr std::chrono::seconds kLongestSilence{15};  // proxies break off after a minute

  const Exchange& exchange_;
  const bool may_begin_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_{};
  std::string text_;
};

// Ends a page that has begun with a problem: its status is sent.
void end_page(const Exchange& exchange, const std::string& problem) {
  PageModel page;
  page.problems.push_back({problem + ". Load the page again."});
  answer_page(exchange, frame_of_page(page));
}

void answer_subject(const Exchange& exchange, const Subject& subject) {
  const bool has_numbers = Query(exchange.target.query).has("numbers");
  SlowPage slow(exchange);
  WhenSlow when_slow = [](const PageModel&, const std::string&, double) {};
  if (!has_numbers)
    when_slow = [&](const PageModel& page, const std::string& what, double share) {
      slow.show(page, what, share);
    };
  try {
    const PageModel page = page_of(exchange, subject, when_slow);
    if (has_numbers) return answer_numbers(exchange, subject, page);
    answer_model(exchange, page);
  } catch (const Error& error) {
    if (!exchange.reply.has_begun()) throw;
    if (subject.place.filesystem) subject.place.filesystem->report(subject.place.inode, error);
    end_page(exchange, public_message(exchange.site, error));
  } catch (const Busy&) {
    if (!exchange.reply.has_begun()) throw;
    end_page(exchange, "The server works for other clients");
  }
}

// Answers with the session with which the IGV web app opens fragments. Returns false if the request does not
// ask for it, or there are no fragments.
bool answer_igv(const Exchange& exchange, const std::vector<FolderEntry>& entries) {
  if (!Query(exchange.target.query).has("igv")) return false;
  for (const FolderEntry& entry : entries) {
    if (!entry.is(forms::kFragmentsGz)) continue;
    std::vector<std::string> path = exchange.names;
    path.push_back(entry.name);
    exchange.reply.add("Cache-Control", "no-cache");
    exchange.reply.whole(200, "application/json",
                         to_json_text(igv_session(exchange.address(path, false))) + "\n");
    return true;
  }
  return false;
}

// Returns whether it is the folder of a variable's parts: NAME/ without a listing.
bool has_only_parts(const Site::Place& place) {
  if (!place.filesystem || place.kind != FileKind::directory) return false;
  return has_form(place.filesystem->meaning(place.inode).what.identity.row, forms::kPlaces);
}

// Returns whether a file or a folder has the name, other than one with the parts of a member.
bool has_own_page(const Exchange& exchange) {
  try {
    return !has_only_parts(exchange.site.find(exchange.names));
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
    return false;
  }
}

}  // namespace

void answer_model(const Exchange& exchange, const PageModel& page) {
  if (wanted_form(exchange) == PageForm::kJson) return answer_json(exchange, page);
  answer_page(exchange, frame_of_page(page));
}

void answer_folder(const Exchange& exchange, const Site::Place& place) {
  if (answer_cells_question(exchange, place) || answer_chosen_cells(exchange, place)) return;
  if (answer_traces(exchange, place) || answer_image_thumbnail(exchange, place) ||
      answer_thumbnail(exchange, place))
    return;
  const bool has_numbers = Query(exchange.target.query).has("numbers");
  if (!has_numbers && wanted_form(exchange) == PageForm::kList) {
    const std::vector<FolderEntry> entries = folder_entries(exchange, place);
    if (!answer_igv(exchange, entries)) answer_list(exchange, entries);
    return;
  }
  if (!has_numbers && wanted_form(exchange) == PageForm::kPage && answer_names(exchange, place)) return;
  if (!has_numbers && has_only_parts(place)) {
    const Query query(exchange.target.query);
    const std::string question = query.has("page") || query.has("json") ? exchange.target.query : "page";
    exchange.reply.add("Location", fmt::format("../{}?{}", percent_encoded(exchange.names.back()), question));
    exchange.reply.add("Cache-Control", "no-store");
    return exchange.reply.whole(302, "text/plain; charset=utf-8", "the page of the variable\n");
  }
  answer_subject(exchange, folder_subject(exchange, place));
}

bool answer_member(const Exchange& exchange) {
  const Query query(exchange.target.query);
  if (exchange.names.empty() || !(query.has("page") || query.has("json"))) return false;
  if (has_own_page(exchange)) return false;
  const Site::Place folder = exchange.site.find({exchange.names.begin(), exchange.names.end() - 1});
  const std::optional<Subject> subject = member_subject(exchange, folder, exchange.names.back());
  if (!subject) return false;
  answer_subject(exchange, *subject);
  return true;
}

}  // namespace plainfs::serve
