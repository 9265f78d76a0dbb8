// An S3 service and one bucket of it: AWS's own, or any that speaks its language.
#pragma once

#include <optional>
#include <string>

#include "cache/mutex.h"
#include "formats/core/remote/credentials.h"
#include "formats/core/remote/origin.h"
#include "formats/core/remote/remote_options.h"

namespace plainfs::remote {

// Locations are "s3://BUCKET/KEY", the key as it is. Thread-safe.
class S3Origin : public Origin {
 public:
  // location: of anything in the bucket. The endpoint is that of options, else AWS_ENDPOINT_URL_S3's or
  // AWS_ENDPOINT_URL's, else the profile's; the region likewise. client: outlives this.
  S3Origin(const std::string& location, const RemoteOptions& options, const Environment& environment,
           HttpClient& client);

  std::string address(const std::string& location) const override { return endpoint_ + " " + location; }
  HttpRequest get(const std::string& location, std::vector<std::string> fields) override;
  bool has_keys() override { return !credentials_ || credentials_->has_keys(); }
  std::string asker() override;
  bool follows_redirects() const override { return false; }
  // Where the bucket is in another region, that is known from then on; keys that were refused are looked for
  // again.
  bool learn_from(const HttpHead& head, const std::string& error_code) override;

  // What makes the object there hold that.
  HttpRequest put(const std::string& location, std::string body);

  // A ListObjectsV2 of the keys that begin with prefix. delimiter: "/" = what is below folders stays out;
  // continuation: of the page before, or "".
  HttpRequest list(const std::string& prefix, const std::string& delimiter, const std::string& continuation);

  // "KEY" of "s3://BUCKET/KEY". Throws unreadable for another bucket's.
  std::string key_of(const std::string& location) const;

 private:
  HttpRequest request(const std::string& key, const std::string& query, std::vector<std::string> fields,
                      std::string method = "GET", std::string body = {});
  std::string service_url(const std::string& region) const;

  const std::string bucket_;
  const Profile profile_;
  const std::string endpoint_;  // "" = AWS's own
  mutable Mutex mutex_;
  std::string region_ GUARDED_BY(mutex_);
  std::optional<Credentials> credentials_;  // none: nothing is signed
};

}  // namespace plainfs::remote
