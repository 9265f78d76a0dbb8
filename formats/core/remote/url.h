// The parts of a URL, and how what stands in one is written.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "formats/core/base/error.h"

namespace plainfs::remote {

struct Url {
  std::string scheme;  // "https", "http", "s3"
  std::string host;    // of s3: the bucket; an address of IPv6 with its brackets
  std::string port;    // "" = the scheme's own
  std::string path;    // as it is sent: percent-encoded, from the first "/" on
  std::string query;   // without the "?"

  std::string host_and_port() const { return port.empty() ? host : host + ":" + port; }
  std::string text() const;
};

// Of http and https. Characters that may not stand in a URL are percent-encoded; the fragment is left out.
// Throws unsupported where it is none, or has a user's name in it.
Url parse_url(const std::string& text);
// What a Location field that came from base means. Throws unsupported where that is neither http nor https,
// or would leave https.
Url redirected(const Url& base, const std::string& location);

// Which servers only this machine or its network can reach. A public server must not have a mount read them
// and show what they say (a router's page, the keys of a cloud's metadata service), so from there no redirect
// is followed to here.

// Of the host of a URL, or an address as text. Whether it is an address that is none of the public network:
// of this machine, a private network, a link, a provider's network (RFC 6598), a group of receivers, or
// unassigned; one of IPv6 that stands for one of IPv4 (mapped, NAT64, 6to4) is what that is. Also true of
// localhost, and false where only a resolver could tell.
bool is_private_host(std::string host);
// Whether a request goes by a proxy, as libcurl reads http_proxy, https_proxy, all_proxy and no_proxy; then
// it is the proxy that finds the server. variable: the value of one of the environment, "" = it is not set.
bool goes_by_proxy(const Url& url, const std::function<std::string(const std::string&)>& variable);

// What is said of a redirect to host that is not followed.
Error leads_inside(const std::string& host, const std::string& address);

}  // namespace plainfs::remote
