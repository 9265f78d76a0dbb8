#include "fs/serve/http/reply.h"

#include <fmt/format.h>

#include <cassert>

#include "fs/serve/http/gzip.h"

namespace plainfs::serve {
namespace {

std::string_view phrase_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 207:
      return "Multi-Status";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Payload Too Large";
    case 414:
      return "URI Too Long";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

Slices slices_of(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  Slices slices;
  slices.add(as_byte_span(*owner), owner);
  return slices;
}

}  // namespace

void Reply::start_again() {
  assert(!has_begun_);
  fields_.clear();
  held_.clear();
  has_header_ = is_chunked_ = false;
  left_ = bytes_ = 0;
}

void Reply::add(std::string_view name, std::string_view value) {
  fields_.append(name).append(": ").append(value).append("\r\n");
}

void Reply::begin_header(int status) {
  assert(!has_header_);
  has_header_ = true;
  status_ = status;
  held_ =
      fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", status, phrase_of(status), http_date(std::time(nullptr)));
  if (closes())
    held_ += "Connection: close\r\n";
  else if (!request_.is_1_1)
    held_ += "Connection: keep-alive\r\n";
  held_ += fields_;
}

void Reply::begin(int status, uint64_t length) {
  begin_header(status);
  // A status without a body has no Content-Length.
  if (status != 204 && status != 304) held_ += fmt::format("Content-Length: {}\r\n", length);
  held_ += "\r\n";
  left_ = is_head() || status == 304 ? 0 : length;
}

void Reply::begin_chunked(int status) {
  assert(can_be_chunked());
  begin_header(status);
  held_ += "Transfer-Encoding: chunked\r\n\r\n";
  is_chunked_ = !is_head();
}

void Reply::whole(int status, std::string_view type, std::string_view body) {
  if (!type.empty()) add("Content-Type", type);
  std::string packed;
  if (body.size() >= kLeastGzipped && is_gzipped_type(type) &&
      accepts_gzip(request_.field("Accept-Encoding"))) {
    packed = gzipped(body);
    body = packed;
    add("Content-Encoding", "gzip");
  }
  begin(status, body.size());
  if (left_ > 0) write(body);
  finish();
}

void Reply::flush() {
  if (held_.empty()) return;
  has_begun_ = true;
  client_.send(slices_of(std::exchange(held_, {})));
}

void Reply::write(const Slices& bytes) {
  const size_t size = bytes.size();
  if (size == 0 || is_head()) return;
  if (is_chunked_) {
    held_ += fmt::format("{:x}\r\n", size);
  } else {
    if (size > left_) throw Broken();
    left_ -= size;
  }
  bytes_ += size;
  Slices all = slices_of(std::exchange(held_, {}));
  all.parts.insert(all.parts.end(), bytes.parts.begin(), bytes.parts.end());
  all.owners.insert(all.owners.end(), bytes.owners.begin(), bytes.owners.end());
  static constexpr std::string_view kEndOfChunk = "\r\n";
  if (is_chunked_) all.add(as_byte_span(kEndOfChunk), nullptr);
  has_begun_ = true;
  client_.send(all);
}

void Reply::write(std::string_view text) {
  write(slices_of(std::string(text)));
}

void Reply::finish() {
  if (left_ > 0) throw Broken();
  if (is_chunked_) held_ += "0\r\n\r\n";
  flush();
}

}  // namespace plainfs::serve
