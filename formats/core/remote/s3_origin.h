// The origin of one bucket of an S3 service: of AWS, of Google Cloud Storage (its XML API has the same
// interface), or of any compatible service.
#pragma once

#include <optional>
#include <string>

#include "cache/mutex.h"
#include "formats/core/remote/credentials.h"
#include "formats/core/remote/object_origin.h"
#include "formats/core/remote/remote_options.h"

namespace plainfs::remote {

// An origin with locations "s3://BUCKET/KEY" or "gs://BUCKET/KEY", the key not encoded. Thread-safe.
class S3Origin : public ObjectOrigin {
 public:
  // location: of any object in the bucket. The endpoint of s3:// is that of `options`, else of
  // AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, else of the profile; likewise the region. The endpoint of gs://
  // is that of `options`, else of STORAGE_EMULATOR_HOST, else Google's. Its requests carry
  // GOOGLE_OAUTH_ACCESS_TOKEN, or a signature by GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY (HMAC keys), if
  // these are set, otherwise nothing. client: must outlive the origin.
  S3Origin(const std::string& location, const RemoteOptions& options, const Environment& environment,
           HttpClient& client);

  std::string address(const std::string& location) const override { return endpoint_ + " " + location; }
  HttpRequest get(const std::string& location, std::vector<std::string> fields) override;
  bool has_keys() override { return !credentials_ || credentials_->has_keys(); }
  std::string credential_source() override;
  // Remembers the region if the bucket is in another one, and renews keys that were refused.
  bool learn_from(const HttpHead& head, const std::string& error_code) override;

  HttpRequest put(const std::string& location, std::string body) override;
  HttpRequest list(const std::string& prefix, const std::string& delimiter,
                   const std::string& continuation) override;  // ListObjectsV2
  ObjectPage page_of(const std::string& xml) const override;
  std::string key_of(const std::string& location) const override;

 private:
  HttpRequest request(const std::string& key, const std::string& query, std::vector<std::string> fields,
                      std::string method = "GET", std::string body = {});
  std::string service_url(const std::string& region) const;

  const std::string scheme_;  // "s3://" or "gs://"
  const std::string bucket_;
  const bool no_sign_;
  const std::string bearer_;  // Google's token, "" = none
  const Profile profile_;
  const std::string endpoint_;  // "" = AWS's own
  mutable Mutex mutex_;
  std::string region_ GUARDED_BY(mutex_);
  std::optional<Credentials> credentials_;  // nullopt: requests are not signed
};

}  // namespace plainfs::remote
