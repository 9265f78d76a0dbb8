// Any bytes as input of a client: through the parser of requests, and each request through everything that
// answers it, for a small store with a table, an array, text and a link. A reply is one header and the bytes
// that it promises. Without the token a reply reveals nothing of the store.
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tests/unit/serve/served.h"

namespace {

using namespace plainfs;
using namespace plainfs::serve;

constexpr std::string_view kToken = "token";
// Occurs only in the store.
constexpr std::string_view kSecret = "only-in-the-store";

void need(bool is_so) {
  if (!is_so) std::abort();
}

Served& served() {
  static Served store;
  if (store.answering) return store;
  store.root->add_array("a", {1, 2, 3}).add_text("t", {std::string(kSecret), "x"}).add_link("l", {"g"});
  store.root->add_group("g")->add_array("b", {4, 5});
  Table table;
  table.rows = 2;
  table.columns.push_back({"c", text_array({"<b>", std::string(kSecret)})});
  store.root->add("frame", {table, nullptr, {}, {}});
  store.answers();
  return store;
}

// Checks that no line of the header comes from the client: each is a name, a colon and a value.
void check_header(std::string_view header) {
  need(header.starts_with("HTTP/1.1 "));
  header.remove_prefix(header.find("\r\n") + 2);
  while (!header.empty()) {
    const size_t end = header.find("\r\n");
    need(end != std::string_view::npos);
    const std::string_view line = header.substr(0, end);
    need(line.find(": ") != std::string_view::npos && line.find_first_of("\r\n") == std::string_view::npos);
    header.remove_prefix(end + 2);
  }
}

void check(const HttpRequest& request, const std::string& text) {
  const size_t end = text.find("\r\n\r\n");
  need(end != std::string::npos);
  check_header(std::string_view(text).substr(0, end + 2));
  const Answer answer = parse_answer(text);  // throws if the chunks are inconsistent
  need(answer.status >= 200 && answer.status < 600);
  if (!answer.is_chunked() && answer.status != 304 && !request.is_head())
    need(answer.field("Content-Length") == std::to_string(answer.body.size()));
  if (request.is_head() || answer.status == 304) need(answer.body.empty());
  if (request.target.find(kToken) == std::string::npos && request.target.find('%') == std::string::npos)
    need(text.find(kSecret) == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  RequestReader reader;
  try {
    // In two parts, since a request may arrive in pieces.
    const std::string_view all = as_text(std::as_bytes(std::span(data, size)));
    for (const std::string_view part : {all.substr(0, size / 2), all.substr(size / 2)}) {
      reader.add(part);
      while (const std::optional<HttpRequest> request = reader.next()) {
        TextClient client;
        const bool is_kept = served().answers().answer(*request, client);
        check(*request, client.text);
        if (!is_kept) return 0;
      }
    }
  } catch (const BadRequest& bad) {
    need(bad.status >= 400 && bad.status < 600);
    TextClient client;
    served().answers().refuse(bad.status, client);
    check({}, client.text);
  }
  return 0;
}
