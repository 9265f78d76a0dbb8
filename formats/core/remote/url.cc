#include "formats/core/remote/url.h"

#include <curl/curl.h>

#include <memory>

#include "formats/core/base/error.h"

namespace plainfs::remote {
namespace {

// Newer libraries take blanks only where they are told to.
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
    throw unsupported("a user's name in a URL is seen by everybody on this machine; put it into ~/.netrc");
  Url url{part_of(parsed, CURLUPART_SCHEME), part_of(parsed, CURLUPART_HOST), part_of(parsed, CURLUPART_PORT),
          part_of(parsed, CURLUPART_PATH), part_of(parsed, CURLUPART_QUERY)};
  if (url.scheme != "https" && url.scheme != "http") throw unsupported("{}: is no https:// URL", url.scheme);
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
    throw unsupported("no URL that can be read");
  return parts_of(parsed.get());
}

Url redirected(const Url& base, const std::string& location) {
  const Parsed parsed = new_parsed();
  if (curl_url_set(parsed.get(), CURLUPART_URL, base.text().c_str(), kEncode) != CURLUE_OK ||
      curl_url_set(parsed.get(), CURLUPART_URL, location.c_str(), kEncode) != CURLUE_OK)
    throw unsupported("a redirect to what is no URL");
  Url url = parts_of(parsed.get());
  if (base.scheme == "https" && url.scheme != "https") throw unsupported("a redirect from https to http");
  return url;
}

}  // namespace plainfs::remote
