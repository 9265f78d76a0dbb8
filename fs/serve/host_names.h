// Who a request may be meant for and come from: the fields Host and Origin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plainfs::serve {

// A foreign page that has its own name lead to this machine (DNS rebinding) shows that name in
// Host.
class HostNames {
 public:
  // Besides localhost and every address that is written as a number. A port of a name counts for nothing.
  explicit HostNames(std::vector<std::string> names);

  // host: "name", "name:8080", "[::1]:8080". The port is not looked at: a tunnel has another one.
  bool allows(std::string_view host) const;

 private:
  std::vector<std::string> names_;
};

// Pages that may read what is served, by their origin: "https://vitessce.io".
class Origins {
 public:
  // "*": all of them.
  explicit Origins(std::vector<std::string> origins) : origins_(std::move(origins)) {}
  bool allows(std::string_view origin) const;

 private:
  std::vector<std::string> origins_;
};

// Whether it is "https://HOST" or "http://HOST:PORT" as browsers send it, or "*".
bool is_origin(std::string_view text);

}  // namespace plainfs::serve
