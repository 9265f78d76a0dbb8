// A request of HTTP/1.0 or 1.1 as it comes in over a connection, piece by piece. What is not one, or larger
// than any client needs, ends with the status to answer; nothing that was sent is believed beyond that. And
// what is asked for: the path and query of its first line.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plainfs::serve {

inline constexpr size_t kMostHeader = 16 * 1024;
inline constexpr size_t kMostTarget = 8 * 1024;
inline constexpr size_t kMostBody = 64 * 1024;  // PROPFIND has one, which is not looked at

struct HttpRequest {
  std::string method;
  std::string target;
  bool is_1_1 = false;
  bool keep_alive = false;
  std::vector<std::pair<std::string, std::string>> fields;

  // The field's value; of several of the name, joined by commas; empty where there is none.
  std::string field(std::string_view name) const;
  size_t count(std::string_view name) const;
  bool is_head() const { return method == "HEAD"; }
};

// What cannot be answered but by its status; the connection ends with it.
struct BadRequest {
  int status;
};

// Of one connection: the requests that come over it, one after the other.
class RequestReader {
 public:
  RequestReader();
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Bytes as they came.
  void add(std::string_view bytes) { buffer_.append(bytes); }
  // The next one, once all of it is there. Throws BadRequest.
  std::optional<HttpRequest> next();
  // Whether something of the next one is there.
  bool has_begun() const { return !buffer_.empty() || parser_ != nullptr; }

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;  // null: nothing of the next one was looked at
  std::string buffer_;              // what the parser has not taken yet
};

struct Target {
  std::string host;                // of "http://host/path", which proxies send; else empty
  std::vector<std::string> names;  // of the path, decoded; none is empty, "." or "..", or holds a slash
  bool is_folder = false;          // the path ends with a slash
  std::string query;               // behind the "?", as it is
};

// The value of a name in a query ("page&color=leiden"), decoded; empty where it has none, nullopt where it is
// not there.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

// The same of a query that a form or URLSearchParams has made, where "+" is a blank.
std::optional<std::string> form_value(std::string_view query, std::string_view name);

// Whether nothing shown can have the name: ".", "..", or one with a slash or NUL.
bool is_no_name(const std::string& name);

// nullopt where it is no such thing, or could name nothing that is served.
std::optional<Target> parse_target(std::string_view text);

}  // namespace plainfs::serve
