#include "fs/serve/answering.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "cache/request.h"
#include "formats/core/text/json.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/printable.h"
#include "fs/index/housekeeping.h"
#include "fs/serve/h5grove/h5grove.h"
#include "fs/serve/http/field_text.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/folder/chosen_cells.h"
#include "fs/serve/pages/folder/error_page.h"
#include "fs/serve/pages/folder/folder_answer.h"
#include "fs/serve/pages/folder/page_state.h"
#include "fs/serve/pages/folder/tree_page.h"
#include "fs/serve/pages/image/image_page.h"
#include "fs/serve/pages/table/chosen_rows.h"
#include "fs/serve/site/file_answer.h"
#include "fs/serve/site/properties_answer.h"
#include "fs/serve/site/script_answer.h"
#include "fs/serve/site/source_answer.h"
#include "fs/views/file_forms.h"

namespace plainfs::serve {
namespace {

constexpr std::string_view kMethods = "GET, HEAD, OPTIONS, PROPFIND";
constexpr std::string_view kText = "text/plain; charset=utf-8";
// The fields that a page of another origin may send and see.
constexpr std::string_view kSentFields =
    "Range, If-Range, If-None-Match, If-Match, Accept, Depth, Content-Type";
constexpr std::string_view kSeenFields =
    "Content-Range, Content-Length, ETag, Accept-Ranges, Last-Modified, DAV, Allow";

int status_of(const Error& error) {
  switch (error.code()) {
    case Errc::not_found:
    case Errc::not_unique:
      return 404;
    case Errc::unsupported:
    case Errc::undecodable:
      return 501;
    default:
      return 500;
  }
}

void reply_text(Reply& reply, int status, const std::string& what) {
  reply.add("Cache-Control", "no-store");
  if (asks_h5grove(reply.target()))
    return reply.whole(status, "application/json", to_json_text(Json::Object{{"message", what}}));
  reply.whole(status, kText, what + "\n");
}

// Returns whether macOS requests the name beside everything that it shows. No store is searched for it.
bool is_asked_by_habit(const HttpRequest& request, const std::vector<std::string>& names) {
  constexpr std::string_view kHabits[] = {".DS_Store",        ".Spotlight-V100", ".Trashes",
                                          "Backups.backupdb", ".hidden",         ".metadata_never_index"};
  if (names.empty() || !request.field("User-Agent").starts_with("WebDAVFS/")) return false;
  return names.back().starts_with("._") ||
         std::find(std::begin(kHabits), std::end(kHabits), names.back()) != std::end(kHabits);
}

// Returns whether the client is fsspec and the file is part of a generated Zarr hierarchy. For zarr-python 2,
// fsspec skips keys that the server answers with an error, and zarr treats them as absent and fills them in.
bool would_be_filled_in(const HttpRequest& request, const Site::Place& place) {
  if (!place.filesystem || place.kind != FileKind::file || !place.filesystem->is_generated(place.inode))
    return false;
  if (request.method == "PROPFIND" || request.field("User-Agent").find("aiohttp") == std::string::npos)
    return false;
  const std::string name = place.filesystem->name(place.inode);
  return name.starts_with(".z") || name.find_first_not_of("0123456789.") == std::string::npos;
}

// Adds the way to reopen the store, like in a mount's log.
Error with_link_back(const Error& error, bool reopens_on_change) {
  if (error.code() != Errc::changed) return error;
  return Error(Errc::changed, reopens_on_change
                                  ? fmt::format("{}; the next request reopens it", error.what())
                                  : fmt::format("{}; to reopen it: kill -USR1 {}, or -o on_change=reopen",
                                                error.what(), ::getpid()));
}

// Removes the base, which a proxy may or may not have removed already.
std::vector<std::string> without_base(const std::vector<std::string>& names, const std::string& base) {
  const std::vector<std::string> parts = path_names(base);
  const bool has_base = names.size() >= parts.size() && std::equal(parts.begin(), parts.end(), names.begin());
  return {names.begin() + static_cast<ptrdiff_t>(has_base ? parts.size() : 0), names.end()};
}

// Returns a relative path, which also works behind a proxy with a path of its own. Requires: the request
// ended with a slash.
std::string href_to(const Exchange& exchange, const std::vector<std::string>& names) {
  std::string href;
  for (size_t i = 0; i < exchange.names.size(); ++i) href += "../";
  for (const std::string& name : names) href += percent_encoded(name) + "/";
  return href;
}

}  // namespace

Answering::Answering(const Site& site, AnswerSettings settings)
    : site_(site),
      settings_(std::move(settings)),
      tags_(settings_.random(), settings_.identities),
      pages_(std::make_unique<PageState>(settings_.work)) {}

Answering::~Answering() = default;

Handler Answering::handler() const {
  return {[this](const HttpRequest& request, Client& client) { return answer(request, client); },
          [this](int status, Client& client) { refuse(status, client); }};
}

void Answering::add_common(const HttpRequest& request, Reply& reply) const {
  reply.add("X-Content-Type-Options", "nosniff");
  reply.add("Referrer-Policy", "no-referrer");
  reply.add("Cross-Origin-Resource-Policy", "same-origin");
  reply.add("Vary", "Origin, Accept, Accept-Encoding");
  const std::string origin = request.field("Origin");
  if (!settings_.origins.allows(origin)) return;
  reply.add("Access-Control-Allow-Origin", origin);
  reply.add("Access-Control-Expose-Headers", kSeenFields);
}

bool Answering::answer(const HttpRequest& request, Client& client) const {
  Reply reply(request, client);
  add_common(request, reply);
  try {
    const auto visits = site_.visit();
    answer_guarded(request, reply);
  } catch (const Cancelled&) {
    throw Lost();
  } catch (const std::exception&) {  // out of memory, even for the error message
    throw Broken();
  }
  keep_house(
      "not logged", [](const std::string&) {}, [&] { log(request, reply); });
  return !reply.closes();
}

void Answering::log(const HttpRequest& request, const Reply& reply) const {
  if (!settings_.log_request) return;
  std::string target = request.target;
  if (const size_t at = target.find(settings_.token); !settings_.token.empty() && at != std::string::npos)
    target.replace(at, settings_.token.size(), "TOKEN");
  settings_.log_request(
      printable(fmt::format("{} {} {} {}", request.method, target, reply.status(), reply.bytes())));
}

void Answering::refuse(int status, Client& client) const {
  HttpRequest request;
  request.is_1_1 = true;
  Reply reply(request, client);
  reply.add("X-Content-Type-Options", "nosniff");
  if (status == 503) reply.add("Retry-After", "5");
  reply_text(reply, status,
             status == 503 ? "too many connections" : fmt::format("invalid request ({})", status));
}

void Answering::answer_guarded(const HttpRequest& request, Reply& reply) const {
  int status = 500, retry_after = 0;
  std::string what;
  try {
    return dispatch(request, reply);
  } catch (const Busy& busy) {
    status = 503;
    retry_after = busy.seconds;
    what = "the server sorts, filters or draws for other clients; try again later";
  } catch (const InvalidQuery& query) {
    status = 400;
    what = printable(query.what);
  } catch (const Error& error) {
    status = status_of(error);
    what = printable(error.what());
  } catch (const std::bad_alloc&) {
    what = out_of_memory().what();
  }
  if (reply.has_begun()) throw Broken();
  reply.start_again();
  add_common(request, reply);
  if (retry_after > 0) reply.add("Retry-After", std::to_string(retry_after));
  reply_text(reply, status, what);
}

void Answering::dispatch(const HttpRequest& request, Reply& reply) const {
  const std::optional<Target> target = parse_target(request.target);
  const bool is_for_all = request.method == "OPTIONS" && request.target == "*";
  const std::string host = target && !target->host.empty() ? target->host : request.field("Host");
  // HTTP/1.0 does not have the field Host.
  if (!(host.empty() && !request.is_1_1) && !settings_.hosts.allows(host)) {
    reply.close();
    return reply_text(reply, 421, "not a name of this server; to allow it: --host=NAME");
  }
  if (request.method == "OPTIONS" && (target || is_for_all)) {
    reply.add("Allow", kMethods);
    reply.add("DAV", "1");
    reply.add("MS-Author-Via", "DAV");
    reply.add("Access-Control-Allow-Methods", kMethods);
    reply.add("Access-Control-Allow-Headers", kSentFields);
    reply.add("Access-Control-Max-Age", "86400");
    return reply.whole(200, "", "");
  }
  if (request.method != "GET" && request.method != "HEAD" && request.method != "PROPFIND") {
    reply.add("Allow", kMethods);
    return reply_text(reply, 405, "read-only: " + std::string(kMethods));
  }
  if (!target) return reply_text(reply, 400, "no path");
  Exchange exchange{request, *target, {}, reply, site_, tags_, settings_, *pages_};
  exchange.names = without_base(target->names, settings_.base);
  const bool has_token = !settings_.token.empty();
  const bool is_allowed =
      !has_token || (!exchange.names.empty() && is_same_secret(exchange.names[0], settings_.token));
  if (!is_allowed && request.method == "PROPFIND" && target->names.empty())
    return answer_root_properties(exchange);
  if (!is_allowed) return reply_text(reply, 404, "nothing here: the address is incomplete");
  if (has_token) exchange.names.erase(exchange.names.begin());
  if (request.method != "PROPFIND") take_h5_question(exchange);
  if (is_asked_by_habit(request, exchange.names)) return reply_text(reply, 404, "no such file");
  if (!wants_page(exchange)) return answer_place(exchange);
  try {
    answer_place(exchange);
  } catch (const Error& error) {
    if (reply.has_begun()) throw;
    reply.start_again();
    add_common(request, reply);
    answer_error_page(exchange, status_of(error), printable(error.what()));
  }
}

// If the store has changed and may be reopened, reopens it once and answers again.
void Answering::answer_place(const Exchange& exchange) const {
  Filesystem* const filesystem = site_.filesystem_of(exchange.names);
  for (bool may_reopen = settings_.reopens_on_change;; may_reopen = false) {
    Site::Place place;
    try {
      if (!exchange.h5_question.empty()) return answer_h5grove(exchange);
      if (answer_script(exchange) || answer_source(exchange)) return;
      const bool may_be_member = exchange.request.method != "PROPFIND" && !exchange.target.is_folder;
      if (may_be_member && (answer_member(exchange) || answer_reason(exchange))) return;
      place = site_.find(exchange.names);
      return answer_found(exchange, place);
    } catch (const Error& error) {
      if (filesystem) filesystem->report(place.inode, with_link_back(error, settings_.reopens_on_change));
      if (error.code() != Errc::changed || !may_reopen || !filesystem || exchange.reply.has_begun()) {
        if (exchange.reply.has_begun() || !would_be_filled_in(exchange.request, place))
          throw Error(error.code(),
                      public_message(site_, with_link_back(error, settings_.reopens_on_change)));
        return answer_nothing(exchange);
      }
    }
    filesystem->reopen();
    exchange.reply.start_again();
    add_common(exchange.request, exchange.reply);
  }
}

// Answers with an empty body, which is neither a chunk nor a document: decoding it is an error.
void Answering::answer_nothing(const Exchange& exchange) const {
  exchange.reply.start_again();
  add_common(exchange.request, exchange.reply);
  exchange.reply.add("Cache-Control", "no-store");
  exchange.reply.whole(200, "application/octet-stream", "");
}

void Answering::answer_found(const Exchange& exchange, const Site::Place& place) const {
  const bool is_folder = place.kind == FileKind::directory;
  if (exchange.request.method == "PROPFIND") return answer_properties(exchange, place);
  if (!is_folder && exchange.target.is_folder) throw not_found("{}: not a folder", exchange.names.back());
  if (!is_folder && has_form(place.filesystem->row(place.inode), forms::kPreview)) {
    if (answer_image(exchange, place)) return;
    make_picture(exchange, place);
    return answer_file(exchange, place);
  }
  if (!is_folder && answer_chosen_cells(exchange, place)) return;
  if (!is_folder && answer_rows(exchange, place)) return;
  if (!is_folder) return answer_file(exchange, place, would_be_filled_in(exchange.request, place));
  if (!exchange.target.is_folder) {
    exchange.reply.add("Location", percent_encoded(exchange.target.names.back()) + "/" +
                                       (exchange.target.query.empty() ? "" : "?" + exchange.target.query));
    return reply_text(exchange.reply, 301, "it is a folder");
  }
  // A folder is shown under one path only, so that clients that follow links do not run in circles.
  if (place.names != exchange.names) {
    exchange.reply.add("Location", href_to(exchange, place.names));
    return reply_text(exchange.reply, 302, "it is a link");
  }
  answer_folder(exchange, place);
}

}  // namespace plainfs::serve
