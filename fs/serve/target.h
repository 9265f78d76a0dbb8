// What a request asks for: the path and query of its first line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plainfs::serve {

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
