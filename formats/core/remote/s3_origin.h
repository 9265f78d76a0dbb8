// One bucket of an S3 service: AWS's own or a compatible one.
#pragma once

#include <optional>
#include <string>

#include "cache/mutex.h"
#include "formats/core/remote/credentials.h"
#include "formats/core/remote/origin.h"
#include "formats/core/remote/remote_options.h"

namespace plainfs::remote {

// An origin with locations "s3://BUCKET/KEY", the key not encoded. Thread-safe.
class S3Origin : public Origin {
 public:
  // location: of any object in the bucket. The endpoint is that of `options`, else of AWS_ENDPOINT_URL_S3 or
  // AWS_ENDPOINT_URL, else of the profile; likewise the region. client: must outlive the origin.
  S3Origin(const std::string& location, const RemoteOptions& options, const Environment& environment,
           HttpClient& client);

  std::string address(const std::string& location) const override { return endpoint_ + " " + location; }
  HttpRequest get(const std::string& location, std::vector<std::string> fields) override;
  bool has_keys() override { return !credentials_ || credentials_->has_keys(); }
  std::string asker() override;
  bool follows_redirects() const override { return false; }
  // Remembers the region if the bucket is in another one, and renews keys that were refused.
  bool learn_from(const HttpHead& head, const std::string& error_code) override;

  // Returns a request that writes `body` to the object at `location`.
  HttpRequest put(const std::string& location, std::string body);

  // Returns a ListObjectsV2 request for the keys that begin with `prefix`. delimiter: "/" leaves out what is
  // below folders. continuation: from the page before, or "".
  HttpRequest list(const std::string& prefix, const std::string& delimiter, const std::string& continuation);

  // Returns "KEY" of "s3://BUCKET/KEY". Throws unreadable for another bucket.
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
  std::optional<Credentials> credentials_;  // nullopt: requests are not signed
};

}  // namespace plainfs::remote
