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

std::string percent_encoded(std::string_view text, bool keeps_slashes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char letter : text) {
    const bool is_plain = (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
                          (letter >= '0' && letter <= '9') ||
                          std::string_view("-._~").find(letter) != std::string_view::npos ||
                          (letter == '/' && keeps_slashes);
    const auto byte = static_cast<unsigned char>(letter);
    if (is_plain)
      encoded += letter;
    else
      (encoded += '%').append({kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return encoded;
}

std::string percent_decoded(std::string_view text) {
  const auto digit = [](char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    const char lower = static_cast<char>(letter | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  };
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = high >= 0 ? digit(text[i + 2]) : -1;
    if (low < 0) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

}  // namespace plainfs::remote
