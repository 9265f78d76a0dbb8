#include "formats/core/remote/s3_origin.h"

#include <algorithm>

#include "formats/core/base/error.h"
#include "formats/core/remote/list_xml.h"
#include "formats/core/remote/url.h"
#include "formats/core/text/percent.h"

namespace plainfs::remote {
namespace {

std::string bucket_of(const std::string& location) {
  const std::string rest = location.substr(kS3Scheme.size());
  std::string bucket = rest.substr(0, rest.find('/'));
  const bool is_plain =
      bucket.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") ==
      bucket.npos;
  if (bucket.empty() || !is_plain || bucket.front() == '.')
    throw unsupported("invalid name of a bucket; write {}BUCKET/KEY", location.substr(0, kS3Scheme.size()));
  return bucket;
}

// Returns the first value that is not empty.
std::string first_of(std::initializer_list<std::string> values) {
  for (const std::string& value : values)
    if (!value.empty()) return value;
  return {};
}

// Returns Google's HMAC keys under the names that AWS's tools read, and no other source of keys.
Environment google_keys(const Environment& environment) {
  return [environment](const std::string& name) -> std::string {
    if (name == "AWS_ACCESS_KEY_ID") return environment("GS_ACCESS_KEY_ID");
    if (name == "AWS_SECRET_ACCESS_KEY") return environment("GS_SECRET_ACCESS_KEY");
    return {};
  };
}

// Returns STORAGE_EMULATOR_HOST in the form that Google's libraries accept: "HOST:PORT" or a URL.
std::string emulator(const Environment& environment) {
  const std::string host = environment("STORAGE_EMULATOR_HOST");
  return host.empty() || host.find("://") != host.npos ? host : "http://" + host;
}

bool has_google_keys(const Environment& environment) {
  return !environment("GS_ACCESS_KEY_ID").empty() && !environment("GS_SECRET_ACCESS_KEY").empty();
}

bool is_region(const std::string& text) {
  return !text.empty() && text.size() < 64 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == text.npos;
}

// Decodes encoding-type=url, in which a blank is "+".
std::string decoded_key(std::string text) {
  std::replace(text.begin(), text.end(), '+', ' ');
  return percent_decoded(text);
}

}  // namespace

S3Origin::S3Origin(const std::string& location, const RemoteOptions& options, const Environment& environment,
                   HttpClient& client)
    : scheme_(location.substr(0, kS3Scheme.size())),
      bucket_(bucket_of(location)),
      no_sign_(options.no_sign),
      bearer_(scheme_ == kGoogleScheme && !options.no_sign ? environment("GOOGLE_OAUTH_ACCESS_TOKEN") : ""),
      profile_(scheme_ == kGoogleScheme ? Profile() : chosen_profile(environment)),
      endpoint_(checked_endpoint(
          scheme_ == kGoogleScheme
              ? first_of({options.endpoint, emulator(environment), "https://storage.googleapis.com"})
              : first_of({options.endpoint, environment("AWS_ENDPOINT_URL_S3"),
                          environment("AWS_ENDPOINT_URL"), value_of(profile_, "endpoint_url")}))),
      region_(scheme_ == kGoogleScheme
                  ? first_of({options.region, "auto"})
                  : first_of({options.region, environment("AWS_REGION"), environment("AWS_DEFAULT_REGION"),
                              value_of(profile_, "region"), "us-east-1"})) {
  if (!is_region(region_)) throw unsupported("region={}: not a region", region_);
  if (!bearer_.empty()) check_may_carry_token(endpoint_);
  if (options.no_sign || !bearer_.empty()) return;
  if (scheme_ == kS3Scheme)
    credentials_.emplace(environment, region_, client);
  else if (has_google_keys(environment))
    credentials_.emplace(google_keys(environment), region_, client);
}

std::string S3Origin::key_of(const std::string& location) const {
  const std::string bucket = scheme_ + bucket_;
  if (location == bucket) return {};
  if (!location.starts_with(bucket + "/")) throw unreadable("{}: outside {}", location, bucket);
  return location.substr(bucket.size() + 1);
}

// Returns the URL up to the "/" before the key. A bucket with a dot in its name matches no certificate of
// *.s3.amazonaws.com, and other services may not support host names for buckets.
std::string S3Origin::service_url(const std::string& region) const {
  if (!endpoint_.empty()) return endpoint_ + "/" + bucket_;
  const std::string host =
      "s3." + region + (region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
  return bucket_.find('.') == bucket_.npos ? "https://" + bucket_ + "." + host
                                           : "https://" + host + "/" + bucket_;
}

HttpRequest S3Origin::request(const std::string& key, const std::string& query,
                              std::vector<std::string> fields, std::string method, std::string body) {
  std::string region;
  {
    const MutexLock lock(mutex_);
    region = region_;
  }
  HttpRequest request;
  request.url = service_url(region) + "/" + percent_encoded(key, true);
  if (!query.empty()) request.url += "?" + query;
  request.fields = std::move(fields);
  request.method = std::move(method);
  request.body = std::move(body);
  if (!bearer_.empty()) request.fields.push_back("Authorization: Bearer " + bearer_);
  if (credentials_) sign(request, credentials_->current(), region, "s3", std::time(nullptr));
  return request;
}

std::string S3Origin::credential_source() {
  if (!bearer_.empty()) return "the token is from the environment (GOOGLE_OAUTH_ACCESS_TOKEN)";
  if (no_sign_) return "the request has no key (no_sign)";
  if (!credentials_)
    return "the request has no key (GS_ACCESS_KEY_ID and GOOGLE_OAUTH_ACCESS_TOKEN are not set)";
  if (scheme_ == kGoogleScheme) return "the key is from the environment (GS_ACCESS_KEY_ID)";
  const std::string source = credentials_->source();
  return source.empty() ? "" : "the key is from " + source;
}

HttpRequest S3Origin::get(const std::string& location, std::vector<std::string> fields) {
  return request(key_of(location), "", std::move(fields));
}

HttpRequest S3Origin::put(const std::string& location, std::string body) {
  return request(key_of(location), "", {"Content-Type: application/octet-stream"}, "PUT", std::move(body));
}

HttpRequest S3Origin::list(const std::string& prefix, const std::string& delimiter,
                           const std::string& continuation) {
  std::string query;
  if (!continuation.empty()) query += "continuation-token=" + percent_encoded(continuation, false) + "&";
  if (!delimiter.empty()) query += "delimiter=" + percent_encoded(delimiter, false) + "&";
  query += "encoding-type=url&list-type=2&prefix=" + percent_encoded(prefix, false);
  return request("", query, {});
}

ObjectPage S3Origin::page_of(const std::string& xml) const {
  if (xml.find("<ListBucketResult") == xml.npos)
    throw unreadable("the server's reply is not a list of objects");
  // Services that support the requested encoding name it in the reply; some do not support it.
  const bool is_encoded = element_text(xml, "EncodingType") == "url";
  const auto key_in = [&](const std::string& text) {
    return checked_key(is_encoded ? decoded_key(text) : without_entities(text));
  };
  ObjectPage page;
  std::string part;
  for (size_t at = 0; next_between(xml, "<Contents>", "</Contents>", at, part);) {
    const uint64_t size = size_in_list(element_text(part, "Size"));
    // Kept only in the form of the object's own replies: some services omit the ETag or its quotes.
    std::string etag = without_entities(element_text(part, "ETag"));
    if (!etag.starts_with('"')) etag.clear();
    page.objects.push_back({key_in(element_text(part, "Key")), {size, std::move(etag), ""}});
  }
  for (size_t at = 0; next_between(xml, "<CommonPrefixes>", "</CommonPrefixes>", at, part);)
    page.prefixes.push_back(key_in(element_text(part, "Prefix")));
  if (element_text(xml, "IsTruncated") != "true") return page;
  page.continuation = checked_continuation(without_entities(element_text(xml, "NextContinuationToken")));
  if (page.continuation.empty()) throw unreadable("the server's list of objects has no end");
  return page;
}

bool S3Origin::learn_from(const HttpHead& head, const std::string& error_code) {
  const std::string& region = head.field("x-amz-bucket-region");
  if (is_region(region)) {
    const MutexLock lock(mutex_);
    if (region != region_ && endpoint_.empty()) {
      region_ = region;
      return true;
    }
    if (region != region_ && credentials_) {  // the region appears in the signature only
      region_ = region;
      return true;
    }
  }
  // If these keys are denied access, other keys of the same owner are too, and a wrong clock affects all
  // keys.
  if (error_code == "RequestTimeTooSkewed" || !credentials_) return false;
  return credentials_->renew();
}

}  // namespace plainfs::remote
