// Which servers only this machine or its network can reach. A server that anybody can reach must not have a
// mount read them and show what they say (a router's page, the keys of a cloud's metadata service), so from
// there no redirect is followed to here.
#pragma once

#include <functional>
#include <string>

#include "formats/core/base/error.h"
#include "formats/core/remote/url.h"

namespace plainfs::remote {

// Of the host of a URL, or an address as text. Whether it is an address that is none of the public network:
// of this machine, a private network, a link, a provider's network (RFC 6598), a group of receivers, or
// nobody's; one of IPv6 that stands for one of IPv4 (mapped, NAT64, 6to4) is what that is. Also true of
// localhost, and false where only a resolver could tell.
bool is_private_host(std::string host);
// Whether a request goes by a proxy, as libcurl reads http_proxy, https_proxy, all_proxy and no_proxy; then
// it is the proxy that finds the server. variable: the value of one of the environment, "" = it is not set.
bool goes_by_proxy(const Url& url, const std::function<std::string(const std::string&)>& variable);

// What is said of a redirect to host that is not followed.
Error leads_inside(const std::string& host, const std::string& address);

}  // namespace plainfs::remote
