#include "fs/serve/http/host_names.h"

#include <arpa/inet.h>

#include <algorithm>

#include "formats/core/text/ascii.h"

namespace plainfs::serve {
namespace {

bool is_address(int family, const std::string& text) {
  unsigned char address[sizeof(in6_addr)];
  return ::inet_pton(family, text.c_str(), address) == 1;
}

bool is_port(std::string_view text) {
  return text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

HostNames::HostNames(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::string& name : names_)
    if (const size_t colon = name.find(':'); colon != std::string::npos && is_port(name.substr(colon + 1)))
      name.resize(colon);
  names_.emplace_back("localhost");
}

bool HostNames::allows(std::string_view host) const {
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view behind = host.substr(end + 1);
    if (!behind.empty() && (behind[0] != ':' || !is_port(behind.substr(1)))) return false;
    return is_address(AF_INET6, std::string(host.substr(1, end - 1)));
  }
  if (const size_t colon = host.find(':'); colon != std::string_view::npos) {
    if (!is_port(host.substr(colon + 1))) return false;
    host = host.substr(0, colon);
  }
  if (host.ends_with('.')) host.remove_suffix(1);
  if (is_address(AF_INET, std::string(host))) return true;
  return std::any_of(names_.begin(), names_.end(),
                     [&](const std::string& name) { return is_same_in_any_case(name, host); });
}

bool Origins::allows(std::string_view origin) const {
  if (origin.empty()) return false;
  return std::any_of(origins_.begin(), origins_.end(),
                     [&](const std::string& allowed) { return allowed == "*" || allowed == origin; });
}

bool is_origin(std::string_view text) {
  if (text == "*") return true;
  const size_t start = text.starts_with("https://")  ? 8
                       : text.starts_with("http://") ? 7
                                                     : std::string_view::npos;
  if (start == std::string_view::npos || start == text.size()) return false;
  return text.find_first_of("/?#@ \t\r\n,\"", start) == std::string_view::npos;
}

}  // namespace plainfs::serve
