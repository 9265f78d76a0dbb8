// The parts of a URL and their encoding.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "formats/core/base/error.h"

namespace plainfs::remote {

struct Url {
  std::string scheme;  // "https", "http", "s3"
  std::string host;    // for s3: the bucket; an IPv6 address with its brackets
  std::string port;    // "" = the default of the scheme
  std::string path;    // as sent: percent-encoded, from the first "/" on
  std::string query;   // without the "?"

  std::string host_and_port() const { return port.empty() ? host : host + ":" + port; }
  std::string text() const;
};

// Parses an http or https URL. Characters that are not allowed in a URL are percent-encoded. The fragment is
// removed. Throws unsupported if the text is not such a URL or contains a user name.
Url parse_url(const std::string& text);
// Returns the target of a Location field in a reply from `base`. Throws unsupported if it is neither http nor
// https, or would leave https.
Url redirected(const Url& base, const std::string& location);

// The functions below recognise servers that only this machine or its network can reach. A public server must
// not make a mount read and show their content (a router's page, the keys of a cloud's metadata service), so
// a redirect from a public server to such a server is not followed.

// Returns whether the host of a URL, or an address as text, is an address outside of the public network: of
// this machine, a private network, a link, a provider's network (RFC 6598), a multicast group, or unassigned.
// An IPv6 address that embeds an IPv4 address (mapped, NAT64, 6to4) is treated as that address. Returns true
// for localhost, and false for names that only a resolver could decide.
bool is_private_host(std::string host);
// Returns whether the host is this machine by its name or address.
bool is_this_machine(const std::string& host);
// Returns whether a request uses a proxy, by libcurl's rules for http_proxy, https_proxy, all_proxy and
// no_proxy. The proxy then resolves the server's name. variable: returns the value of an environment
// variable, "" if it is not set.
bool goes_by_proxy(const Url& url, const std::function<std::string(const std::string&)>& variable);

// Returns whether a location is `place` or lies in it.
inline bool is_in(const std::string& location, const std::string& place) {
  return location.starts_with(place) && (location.size() == place.size() || location[place.size()] == '/');
}

// Returns the error for a redirect to `host` that is not followed.
Error leads_inside(const std::string& host, const std::string& address);

}  // namespace plainfs::remote
