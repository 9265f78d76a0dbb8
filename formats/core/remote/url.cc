#include "formats/core/remote/url.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "formats/core/base/error.h"
#include "formats/core/text/ascii.h"

namespace plainfs::remote {

namespace {

// Newer libraries accept blanks only on request.
#ifdef CURLU_ALLOW_SPACE
constexpr unsigned kEncode = CURLU_URLENCODE | CURLU_ALLOW_SPACE;
#else
constexpr unsigned kEncode = CURLU_URLENCODE;
#endif

using Parsed = std::unique_ptr<CURLU, void (*)(CURLU*)>;

Parsed new_parsed() {
  Parsed parsed(curl_url(), curl_url_cleanup);
  if (!parsed) throw std::bad_alloc();
  return parsed;
}

std::string part_of(CURLU* parsed, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(parsed, part, &text, 0) != CURLUE_OK) return {};
  const std::unique_ptr<char, void (*)(void*)> owned(text, curl_free);
  return text;
}

Url parts_of(CURLU* parsed) {
  if (!part_of(parsed, CURLUPART_USER).empty() || !part_of(parsed, CURLUPART_PASSWORD).empty())
    throw unsupported(
        "a URL with a user name, which all users of this machine can see; put it into ~/.netrc");
  Url url{part_of(parsed, CURLUPART_SCHEME), part_of(parsed, CURLUPART_HOST), part_of(parsed, CURLUPART_PORT),
          part_of(parsed, CURLUPART_PATH), part_of(parsed, CURLUPART_QUERY)};
  if (url.scheme != "https" && url.scheme != "http") throw unsupported("{}: not an https:// URL", url.scheme);
  return url;
}

}  // namespace

std::string Url::text() const {
  std::string text = scheme + "://" + host_and_port() + path;
  if (!query.empty()) text += "?" + query;
  return text;
}

Url parse_url(const std::string& text) {
  const Parsed parsed = new_parsed();
  if (curl_url_set(parsed.get(), CURLUPART_URL, text.c_str(), kEncode) != CURLUE_OK)
    throw unsupported("invalid URL");
  return parts_of(parsed.get());
}

Url redirected(const Url& base, const std::string& location) {
  const Parsed parsed = new_parsed();
  if (curl_url_set(parsed.get(), CURLUPART_URL, base.text().c_str(), kEncode) != CURLUE_OK ||
      curl_url_set(parsed.get(), CURLUPART_URL, location.c_str(), kEncode) != CURLUE_OK)
    throw unsupported("a redirect to an invalid URL");
  Url url = parts_of(parsed.get());
  if (base.scheme == "https" && url.scheme != "https") throw unsupported("a redirect from https to http");
  return url;
}

namespace {

using Address6 = std::array<uint8_t, 16>;

// IANA IPv4 Special-Purpose Address Registry, except for the example networks, and multicast.
bool is_private4(uint32_t address) {
  struct Network {
    uint8_t bytes[4];
    int bits;
  };
  static constexpr Network kNetworks[] = {
      {{0, 0, 0, 0}, 8},       // this host
      {{10, 0, 0, 0}, 8},      // private
      {{100, 64, 0, 0}, 10},   // between a provider and its customers
      {{127, 0, 0, 0}, 8},     // loopback
      {{169, 254, 0, 0}, 16},  // link-local, includes metadata services
      {{172, 16, 0, 0}, 12},   // private
      {{192, 0, 0, 0}, 24},    // protocols
      {{192, 168, 0, 0}, 16},  // private
      {{198, 18, 0, 0}, 15},   // measurements within a network
      {{224, 0, 0, 0}, 3},     // multicast, reserved, broadcast
  };
  return std::any_of(std::begin(kNetworks), std::end(kNetworks), [address](const Network& network) {
    const uint32_t first = uint32_t{network.bytes[0]} << 24 | uint32_t{network.bytes[1]} << 16 |
                           uint32_t{network.bytes[2]} << 8 | network.bytes[3];
    return (address ^ first) >> (32 - network.bits) == 0;
  });
}

// IANA IPv6 Special-Purpose Address Registry.
bool is_private6(const Address6& address) {
  const auto begins_with = [&](std::initializer_list<uint8_t> bytes) {
    return std::equal(bytes.begin(), bytes.end(), address.begin());
  };
  const auto stands_for = [&](size_t at) {
    return is_private4(uint32_t{address[at]} << 24 | uint32_t{address[at + 1]} << 16 |
                       uint32_t{address[at + 2]} << 8 | address[at + 3]);
  };
  if (begins_with({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff})) return stands_for(12);     // mapped
  if (begins_with({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) return stands_for(12);           // also ::1 and ::
  if (begins_with({0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) return stands_for(12);  // NAT64
  // Local-use NAT64 prefixes.
  if (begins_with({0, 0x64, 0xff, 0x9b, 0, 1})) return true;
  if (begins_with({0x20, 0x02})) return stands_for(2);  // 6to4
  const bool is_unique_local = (address[0] & 0xfe) == 0xfc;
  const bool is_of_a_link_or_site = address[0] == 0xfe && address[1] >= 0x80;
  const bool is_multicast = address[0] == 0xff;
  return is_unique_local || is_of_a_link_or_site || is_multicast;
}

// Compares like libcurl: a name matches itself and all names below it. A leading dot is ignored.
bool is_listed(const std::string& host, const std::string& list) {
  constexpr const char* kSeparators = ", \t";
  if (list == "*") return true;
  for (size_t at = list.find_first_not_of(kSeparators); at != list.npos;
       at = list.find_first_not_of(kSeparators, at)) {
    const size_t end = std::min(list.find_first_of(kSeparators, at), list.size());
    std::string name = list.substr(at, end - at);
    at = end;
    if (name.starts_with('.')) name.erase(0, 1);
    if (name.ends_with('.')) name.pop_back();
    if (!name.empty() && (host == name || host.ends_with("." + name))) return true;
  }
  return false;
}

}  // namespace

bool is_private_host(std::string host) {
  host = lower_case(host);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.ends_with('.')) host.pop_back();
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  in_addr of4{};
  if (::inet_aton(host.c_str(), &of4) != 0) return is_private4(ntohl(of4.s_addr));
  Address6 of6{};
  const std::string without_zone = host.substr(0, host.find('%'));
  return ::inet_pton(AF_INET6, without_zone.c_str(), of6.data()) == 1 && is_private6(of6);
}

bool is_this_machine(const std::string& host) {
  return host == "localhost" || host.starts_with("127.") || host == "[::1]";
}

bool goes_by_proxy(const Url& url, const std::function<std::string(const std::string&)>& variable) {
  // A server that runs this as CGI would set HTTP_PROXY from a client's header, so libcurl does not read it.
  std::vector<std::string> names = {"all_proxy", "ALL_PROXY", url.scheme + "_proxy"};
  if (url.scheme == "https") names.push_back("HTTPS_PROXY");
  if (std::all_of(names.begin(), names.end(),
                  [&](const std::string& name) { return variable(name).empty(); }))
    return false;
  std::string past = variable("no_proxy");
  if (past.empty()) past = variable("NO_PROXY");
  std::string host = lower_case(url.host);
  if (host.ends_with('.')) host.pop_back();
  return !is_listed(host, lower_case(past));
}

Error leads_inside(const std::string& host, const std::string& address) {
  return unsupported(
      "a redirect to {} is not followed: {} is on this machine or in a private network, and the server is "
      "not",
      host, address);
}

}  // namespace plainfs::remote
