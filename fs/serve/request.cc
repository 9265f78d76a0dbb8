#include "fs/serve/request.h"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "fs/serve/field_text.h"

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

// Before anything is answered by what the request says.
void check(const HttpRequest& request) {
  if (request.target.size() > kMostTarget) throw BadRequest{414};
  const size_t hosts = request.count("Host");
  if (hosts > 1 || (hosts == 0 && request.is_1_1)) throw BadRequest{400};
  if (request.count("Expect") > 0) throw BadRequest{417};  // clients then send without
}

}  // namespace

std::string HttpRequest::field(std::string_view name) const {
  std::string value;
  bool is_first = true;
  for (const auto& [known, text] : fields) {
    if (!is_same_word(known, name)) continue;
    if (!is_first) value += ", ";
    value += text;
    is_first = false;
  }
  return value;
}

size_t HttpRequest::count(std::string_view name) const {
  size_t sum = 0;
  for (const auto& field : fields) sum += is_same_word(field.first, name) ? 1 : 0;
  return sum;
}

struct RequestReader::Parser : http::request_parser<http::string_body> {
  Parser() {
    eager(true);
    header_limit(kMostHeader);
    body_limit(kMostBody);
  }
};

RequestReader::RequestReader() = default;
RequestReader::~RequestReader() = default;

std::optional<HttpRequest> RequestReader::next() {
  if (!parser_) {
    // An empty line or two before a request are to be read over.
    while (buffer_.starts_with("\r\n")) buffer_.erase(0, 2);
    if (buffer_.empty() || buffer_ == "\r") return std::nullopt;
    parser_ = std::make_unique<Parser>();
  }
  beast::error_code error;
  // What is empty would be taken for the end of the connection.
  while (!parser_->is_done() && !buffer_.empty()) {
    const size_t used = parser_->put(boost::asio::buffer(buffer_), error);
    buffer_.erase(0, used);
    if (error == http::error::need_more) {
      if (buffer_.size() > kMostHeader) throw BadRequest{431};
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

}  // namespace plainfs::serve
