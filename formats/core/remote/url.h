// The parts of a URL, and how what stands in one is written.
#pragma once

#include <string>
#include <string_view>

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

}  // namespace plainfs::remote
