#include "formats/core/remote/azure_origin.h"

#include <algorithm>
#include <ctime>
#include <map>

#include "formats/core/base/error.h"
#include "formats/core/remote/list_xml.h"
#include "formats/core/remote/sha256.h"
#include "formats/core/remote/url.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/base64.h"
#include "formats/core/text/http_date.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/split.h"

namespace plainfs::remote {
namespace {

constexpr std::string_view kBlobVersion =
    "2020-10-02";  // of the interface; the first that marks directories in lists

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.front() != '.' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-$_.") ==
             name.npos;
}

// Returns the account and the container.
std::pair<std::string, std::string> names_in(const std::string& location) {
  const std::string rest = location.substr(kAzureScheme.size());
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string account = rest.substr(0, slash), after = rest.substr(std::min(slash + 1, rest.size())),
                    container = after.substr(0, after.find('/'));
  if (!is_plain_name(account) || !is_plain_name(container))
    throw unsupported("invalid name of an account or container; write az://ACCOUNT/CONTAINER/PATH");
  return {account, container};
}

// Returns whether keys in the environment are those of `account`.
bool are_keys_of(const std::string& account, const Environment& environment) {
  const std::string of = environment("AZURE_STORAGE_ACCOUNT");
  return of.empty() || of == account;
}

// Returns the decoded key of `account` in the environment, or "" without one.
std::string shared_key_in(const Environment& environment, const std::string& account) {
  const std::string key = are_keys_of(account, environment) ? environment("AZURE_STORAGE_KEY") : "";
  try {
    return std::string(as_text(decode_base64(key)));
  } catch (const Error&) {
    throw unsupported("AZURE_STORAGE_KEY is not base64");
  }
}

// Returns the shared access signature for `account`, without its "?": the query of the URL, else the one in
// the environment, or "" without one.
std::string sas_token_for(const std::string& account, const RemoteOptions& options,
                          const Environment& environment) {
  if (!options.query.empty()) return options.query;
  std::string token = are_keys_of(account, environment) ? environment("AZURE_STORAGE_SAS_TOKEN") : "";
  if (token.starts_with('?')) token.erase(0, 1);
  return token;
}

}  // namespace

void sign_shared_key(HttpRequest& request, const std::string& account, const std::string& key) {
  std::map<std::string, std::string> fields;  // by name in lower case
  for (const std::string& field : request.fields) {
    const size_t colon = field.find(": ");
    fields[lower_case(field.substr(0, colon))] = field.substr(colon + 2);
  }
  if (!request.body.empty()) fields["content-length"] = std::to_string(request.body.size());
  std::string text = request.method;
  for (const char* name :
       {"content-encoding", "content-language", "content-length", "content-md5", "content-type", "date",
        "if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range"})
    text += "\n" + fields[name];
  text += '\n';
  for (const auto& [name, value] : fields)
    if (name.starts_with("x-ms-")) text += name + ":" + value + "\n";
  const Url url = parse_url(request.url);
  text += "/" + account + url.path;
  std::map<std::string, std::string> parameters;
  for (std::string_view query = url.query; !query.empty();) {
    std::string_view pair = take_part(query, '&');
    const std::string name = percent_decoded(take_part(pair, '='));
    parameters[name] = percent_decoded(pair);
  }
  for (const auto& [name, value] : parameters) text += "\n" + name + ":" + value;
  request.fields.push_back("Authorization: SharedKey " + account + ":" +
                           encode_base64(hmac_sha256(as_byte_span(key), text)));
}

AzureOrigin::AzureOrigin(const std::string& location, const RemoteOptions& options,
                         const Environment& environment)
    : account_(names_in(location).first),
      container_(names_in(location).second),
      endpoint_(checked_endpoint(options.endpoint.empty() ? "https://" + account_ + ".blob.core.windows.net"
                                                          : options.endpoint)),
      token_(options.no_sign ? "" : sas_token_for(account_, options, environment)),
      key_(options.no_sign || !token_.empty() ? "" : shared_key_in(environment, account_)),
      credential_source_(source_of_credentials(options, environment)) {
  if (!token_.empty()) check_may_carry_token(endpoint_);
}

std::string AzureOrigin::source_of_credentials(const RemoteOptions& options,
                                               const Environment& environment) const {
  if (options.no_sign) return "the request has no key (no_sign)";
  if (!options.query.empty()) return "the token is from the URL";
  if (!token_.empty()) return "the token is from the environment (AZURE_STORAGE_SAS_TOKEN)";
  if (!key_.empty()) return "the key is from the environment (AZURE_STORAGE_KEY)";
  if (!are_keys_of(account_, environment))
    return "the request has no key (AZURE_STORAGE_ACCOUNT names another account)";
  return "the request has no key (AZURE_STORAGE_KEY and AZURE_STORAGE_SAS_TOKEN are not set)";
}

std::string AzureOrigin::key_of(const std::string& location) const {
  const std::string container = std::string(kAzureScheme) + account_ + "/" + container_;
  if (location == container) return {};
  if (!location.starts_with(container + "/")) throw unreadable("{}: lies outside of {}", location, container);
  return location.substr(container.size() + 1);
}

HttpRequest AzureOrigin::request(const std::string& key, std::string query, std::vector<std::string> fields,
                                 std::string method, std::string body) const {
  HttpRequest request;
  request.url = endpoint_ + "/" + container_;
  if (!key.empty()) request.url += "/" + percent_encoded(key, true);
  if (!token_.empty()) query += (query.empty() ? "" : "&") + token_;
  if (!query.empty()) request.url += "?" + query;
  request.fields = std::move(fields);
  request.fields.push_back(fmt::format("x-ms-version: {}", kBlobVersion));
  request.method = std::move(method);
  request.body = std::move(body);
  if (!key_.empty()) {
    request.fields.push_back("x-ms-date: " + http_date(std::time(nullptr)));
    sign_shared_key(request, account_, key_);
  }
  return request;
}

HttpRequest AzureOrigin::get(const std::string& location, std::vector<std::string> fields) {
  return request(key_of(location), "", std::move(fields));
}

HttpRequest AzureOrigin::put(const std::string& location, std::string body) {
  return request(key_of(location), "",
                 {"Content-Type: application/octet-stream", "x-ms-blob-type: BlockBlob"}, "PUT",
                 std::move(body));
}

HttpRequest AzureOrigin::list(const std::string& prefix, const std::string& delimiter,
                              const std::string& continuation) {
  std::string query = "restype=container&comp=list&maxresults=1000&prefix=" + percent_encoded(prefix, false);
  if (!delimiter.empty()) query += "&delimiter=" + percent_encoded(delimiter, false);
  if (!continuation.empty()) query += "&marker=" + percent_encoded(continuation, false);
  return request("", std::move(query), {});
}

ObjectPage AzureOrigin::page_of(const std::string& xml) const {
  if (xml.find("<EnumerationResults") == xml.npos)
    throw unreadable("the server's reply is not a list of objects");
  ObjectPage page;
  std::string part;
  for (size_t at = 0; next_between(xml, "<Blob>", "</Blob>", at, part);) {
    if (element_text(part, "ResourceType") == "directory")
      continue;  // Marks a directory of an account with a hierarchical namespace.
    std::string etag = without_entities(element_text(part, "Etag"));
    if (!etag.empty() && !etag.starts_with('"')) etag = '"' + etag + '"';  // as in the object's own reply
    page.objects.push_back({checked_key(without_entities(element_text(part, "Name"))),
                            {size_in_list(element_text(part, "Content-Length")), std::move(etag), ""}});
  }
  for (size_t at = 0; next_between(xml, "<BlobPrefix>", "</BlobPrefix>", at, part);)
    page.prefixes.push_back(checked_key(without_entities(element_text(part, "Name"))));
  page.continuation = checked_continuation(without_entities(element_text(xml, "NextMarker")));
  return page;
}

}  // namespace plainfs::remote
