#include "formats/core/remote/sigv4.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/base/error.h"
#include "formats/core/remote/sha256.h"
#include "formats/core/remote/url.h"
#include "formats/core/text/http_date.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/split.h"

namespace plainfs::remote {

namespace {

std::string hex(ByteSpan bytes) {
  std::string text;
  append_hex(bytes, text);
  return text;
}

// Names and values percent-encoded, sorted by name and then by value.
std::string canonical_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    std::string_view pair = take_part(query, '&');
    if (pair.empty()) continue;
    const std::string name = percent_decoded(take_part(pair, '='));
    pairs.emplace_back(percent_encoded(name, false), percent_encoded(percent_decoded(pair), false));
  }
  std::sort(pairs.begin(), pairs.end());
  std::string text;
  for (const auto& [name, value] : pairs) text += (text.empty() ? "" : "&") + name + "=" + value;
  return text;
}

bool is_default_port(const Url& url) {
  return url.port.empty() || (url.scheme == "https" && url.port == "443") ||
         (url.scheme == "http" && url.port == "80");
}

}  // namespace

void sign(HttpRequest& request, const Keys& keys, const std::string& region, const std::string& service,
          std::time_t now) {
  const Url url = parse_url(request.url);
  const std::string stamp = utc_text(now, "%Y%m%dT%H%M%SZ"), body_hash = sha256_hex(request.body);
  request.fields.push_back("x-amz-date: " + stamp);
  request.fields.push_back("x-amz-content-sha256: " + body_hash);
  if (!keys.token.empty()) request.fields.push_back("x-amz-security-token: " + keys.token);

  std::map<std::string, std::string> signed_fields{
      {"host", is_default_port(url) ? url.host : url.host_and_port()}};
  for (const std::string& field : request.fields) {
    const size_t colon = field.find(": ");
    const std::string name = field.substr(0, colon);
    if (name.starts_with("x-amz-")) signed_fields[name] = field.substr(colon + 2);
    if (name == "Range") signed_fields["range"] = field.substr(colon + 2);
  }
  std::string fields, names;
  for (const auto& [name, value] : signed_fields) {
    fields += name + ":" + value + "\n";
    names += (names.empty() ? "" : ";") + name;
  }
  const std::string canonical = request.method + "\n" + url.path + "\n" + canonical_query(url.query) + "\n" +
                                fields + "\n" + names + "\n" + body_hash;
  const std::string scope = stamp.substr(0, 8) + "/" + region + "/" + service + "/aws4_request";
  const std::string text = "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + sha256_hex(canonical);
  Digest key = hmac_sha256(as_byte_span("AWS4" + keys.secret), stamp.substr(0, 8));
  for (const std::string_view part :
       {std::string_view(region), std::string_view(service), std::string_view("aws4_request")})
    key = hmac_sha256(key, part);
  request.fields.push_back(
      fmt::format("Authorization: AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}", keys.id,
                  scope, names, hex(hmac_sha256(key, text))));
}

}  // namespace plainfs::remote
