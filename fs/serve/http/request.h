// A request of HTTP/1.0 or 1.1, parsed from the pieces that arrive over a connection, and its target: the
// path and query of its first line. Invalid or oversized input ends with the status to answer.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plainfs::serve {

inline constexpr size_t kMaxHeader = 16 * 1024;
inline constexpr size_t kMaxTarget = 8 * 1024;
inline constexpr size_t kMaxBody = 64 * 1024;  // of PROPFIND; its content is ignored

struct HttpRequest {
  std::string method;
  std::string target;
  bool is_1_1 = false;
  bool keep_alive = false;
  std::vector<std::pair<std::string, std::string>> fields;

  // Returns the value of the field, or the values of several fields of that name joined by commas; empty if
  // absent.
  std::string field(std::string_view name) const;
  size_t count(std::string_view name) const;
  bool is_head() const { return method == "HEAD"; }
};

// A request that can only be answered with a status. The connection ends afterwards.
struct BadRequest {
  int status;
};

// A parser of the requests of one connection.
class RequestReader {
 public:
  RequestReader();
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Appends received bytes.
  void add(std::string_view bytes) { buffer_.append(bytes); }
  // Returns the next request when it is complete. Throws BadRequest.
  std::optional<HttpRequest> next();
  // Returns whether a part of the next request has arrived.
  bool has_begun() const { return !buffer_.empty() || parser_ != nullptr; }

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;  // null: parsing of the next request has not begun
  std::string buffer_;              // not consumed by the parser yet
};

struct Target {
  std::string host;                // of "http://host/path", which proxies send; else empty
  std::vector<std::string> names;  // of the path, decoded; never empty, ".", ".." or with a slash
  bool is_folder = false;          // the path ends with a slash
  std::string query;               // after the "?", not decoded
};

// Returns whether no file can have the name: ".", "..", or a name with a slash or NUL.
bool is_no_name(const std::string& name);

// Parses a target. Returns nullopt if it is invalid or cannot name a served file.
std::optional<Target> parse_target(std::string_view text);

}  // namespace plainfs::serve
