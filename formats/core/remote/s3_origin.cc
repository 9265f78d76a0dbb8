#include "formats/core/remote/s3_origin.h"

#include "formats/core/base/error.h"
#include "formats/core/remote/url.h"
#include "formats/core/text/percent.h"

namespace plainfs::remote {
namespace {

constexpr std::string_view kScheme = "s3://";

std::string bucket_of(const std::string& location) {
  const std::string rest = location.substr(kScheme.size());
  std::string bucket = rest.substr(0, rest.find('/'));
  const bool is_plain =
      bucket.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") ==
      bucket.npos;
  if (bucket.empty() || !is_plain || bucket.front() == '.')
    throw unsupported("{}: no bucket; write s3://BUCKET/KEY", location);
  return bucket;
}

// The first of these that says anything.
std::string first_of(std::initializer_list<std::string> values) {
  for (const std::string& value : values)
    if (!value.empty()) return value;
  return {};
}

std::string checked_endpoint(std::string endpoint) {
  if (endpoint.empty()) return endpoint;
  if (endpoint.find("://") == endpoint.npos) endpoint = "https://" + endpoint;
  while (endpoint.ends_with('/')) endpoint.pop_back();
  parse_url(endpoint);
  return endpoint;
}

bool is_region(const std::string& text) {
  return !text.empty() && text.size() < 64 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == text.npos;
}

}  // namespace

S3Origin::S3Origin(const std::string& location, const RemoteOptions& options, const Environment& environment,
                   HttpClient& client)
    : bucket_(bucket_of(location)),
      profile_(chosen_profile(environment)),
      endpoint_(
          checked_endpoint(first_of({options.endpoint, environment("AWS_ENDPOINT_URL_S3"),
                                     environment("AWS_ENDPOINT_URL"), value_of(profile_, "endpoint_url")}))),
      region_(first_of({options.region, environment("AWS_REGION"), environment("AWS_DEFAULT_REGION"),
                        value_of(profile_, "region"), "us-east-1"})) {
  if (!is_region(region_)) throw unsupported("region={}: not a region", region_);
  if (!options.no_sign) credentials_.emplace(environment, region_, client);
}

std::string S3Origin::key_of(const std::string& location) const {
  const std::string bucket = std::string(kScheme) + bucket_;
  if (location == bucket) return {};
  if (!location.starts_with(bucket + "/")) throw unreadable("{}: outside {}", location, bucket);
  return location.substr(bucket.size() + 1);
}

// Up to the "/" in front of the key. A bucket with a dot in its name fits no certificate of
// *.s3.amazonaws.com, and services of others may know no names of hosts for buckets.
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
  if (credentials_) sign(request, credentials_->current(), region, "s3", std::time(nullptr));
  return request;
}

std::string S3Origin::asker() {
  if (!credentials_) return "the request has no key (no_sign)";
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

bool S3Origin::learn_from(const HttpHead& head, const std::string& error_code) {
  const std::string& region = head.field("x-amz-bucket-region");
  if (is_region(region)) {
    const MutexLock lock(mutex_);
    if (region != region_ && endpoint_.empty()) {
      region_ = region;
      return true;
    }
    if (region != region_ && credentials_) {  // only the signature names it
      region_ = region;
      return true;
    }
  }
  // What is denied to these keys, and a clock that is wrong, are so for others of the same owner too.
  if (error_code == "RequestTimeTooSkewed" || !credentials_) return false;
  return credentials_->renew();
}

}  // namespace plainfs::remote
