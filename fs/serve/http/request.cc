#include "fs/serve/http/request.h"

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "formats/core/text/ascii.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/trimmed.h"

namespace plainfs::serve {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

int status_of(beast::error_code error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::bad_version) return 505;
  return 400;
}

std::string text_of(beast::string_view text) {
  return {text.data(), text.size()};
}

// Checks a request before anything in it is used.
void check(const HttpRequest& request) {
  if (request.target.size() > kMaxTarget) throw BadRequest{414};
  const size_t hosts = request.count("Host");
  if (hosts > 1 || (hosts == 0 && request.is_1_1)) throw BadRequest{400};
  if (request.count("Expect") > 0) throw BadRequest{417};  // clients then send the body without asking
  // With any other coding, the end of the body and the next request cannot be found (RFC 9112, 6.1).
  if (request.count("Transfer-Encoding") == 0) return;
  if (!request.is_1_1) throw BadRequest{400};
  if (!is_same_in_any_case(trimmed(request.field("Transfer-Encoding")), "chunked")) throw BadRequest{501};
}

}  // namespace

std::string HttpRequest::field(std::string_view name) const {
  std::string value;
  bool is_first = true;
  for (const auto& [known, text] : fields) {
    if (!is_same_in_any_case(known, name)) continue;
    if (!is_first) value += ", ";
    value += text;
    is_first = false;
  }
  return value;
}

size_t HttpRequest::count(std::string_view name) const {
  size_t sum = 0;
  for (const auto& field : fields) sum += is_same_in_any_case(field.first, name) ? 1 : 0;
  return sum;
}

struct RequestReader::Parser : http::request_parser<http::string_body> {
  Parser() {
    eager(true);
    header_limit(kMaxHeader);
    body_limit(kMaxBody);
  }
};

RequestReader::RequestReader() = default;
RequestReader::~RequestReader() = default;

std::optional<HttpRequest> RequestReader::next() {
  if (!parser_) {
    // Empty lines before a request are skipped.
    while (buffer_.starts_with("\r\n")) buffer_.erase(0, 2);
    if (buffer_.empty() || buffer_ == "\r") return std::nullopt;
    parser_ = std::make_unique<Parser>();
  }
  beast::error_code error;
  // The parser would take empty input for the end of the connection.
  while (!parser_->is_done() && !buffer_.empty()) {
    const size_t used = parser_->put(boost::asio::buffer(buffer_), error);
    buffer_.erase(0, used);
    if (error == http::error::need_more) {
      if (buffer_.size() > kMaxHeader) throw BadRequest{431};
      return std::nullopt;
    }
    if (error) throw BadRequest{status_of(error)};
    if (used == 0) break;
  }
  if (!parser_->is_done()) return std::nullopt;
  const auto& message = parser_->get();
  HttpRequest request;
  request.method = text_of(message.method_string());
  request.target = text_of(message.target());
  request.is_1_1 = message.version() >= 11;
  request.keep_alive = message.keep_alive();
  for (const auto& field : message)
    request.fields.emplace_back(text_of(field.name_string()), text_of(field.value()));
  parser_.reset();
  check(request);
  return request;
}

// Clients remove dots before they send a path; a path that still has them is an attack.
bool is_no_name(const std::string& name) {
  return name == "." || name == ".." || name.find('/') != std::string::npos ||
         name.find('\0') != std::string::npos;
}

std::optional<Target> parse_target(std::string_view text) {
  Target target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    text.remove_prefix(scheme.size());
    const size_t end = std::min(text.find_first_of("/?#"), text.size());
    if (end == 0) return std::nullopt;
    target.host = text.substr(0, end);
    text.remove_prefix(end);
    if (text.empty()) text = "/";
    break;
  }
  if (!text.starts_with('/') || text.find('#') != std::string_view::npos) return std::nullopt;
  const size_t mark = std::min(text.find('?'), text.size());
  if (mark < text.size()) target.query = text.substr(mark + 1);
  text = text.substr(0, mark);
  target.is_folder = text.ends_with('/');
  while (!text.empty()) {
    text.remove_prefix(1);
    const size_t end = std::min(text.find('/'), text.size());
    if (!is_percent_encoded(text.substr(0, end))) return std::nullopt;
    const std::string name = percent_decoded(text.substr(0, end));
    if (is_no_name(name)) return std::nullopt;
    if (!name.empty()) target.names.push_back(name);
    text.remove_prefix(end);
  }
  return target;
}

}  // namespace plainfs::serve
