// The hosts that a request may address and the origins it may come from: the fields Host and Origin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plainfs::serve {

// The names under which this server may be addressed. They protect against DNS rebinding: a malicious page
// that points its own name at this machine sends that name in Host.
class HostNames {
 public:
  // names: allowed besides localhost and every numeric address. Ports in the names are ignored.
  explicit HostNames(std::vector<std::string> names);

  // Returns whether `host` is allowed: "name", "name:8080", "[::1]:8080". Its port is ignored, since a tunnel
  // changes it.
  bool allows(std::string_view host) const;

 private:
  std::vector<std::string> names_;
};

// The origins of pages that may read the server's data: "https://vitessce.io".
class Origins {
 public:
  // origins: "*" allows all of them.
  explicit Origins(std::vector<std::string> origins) : origins_(std::move(origins)) {}
  bool allows(std::string_view origin) const;

 private:
  std::vector<std::string> origins_;
};

// Returns whether `text` is "https://HOST" or "http://HOST:PORT" in the form that browsers send, or "*".
bool is_origin(std::string_view text);

}  // namespace plainfs::serve
