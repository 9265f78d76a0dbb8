// How the objects of one service are asked for: over plain HTTP, or of S3 with a signature.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/core/remote/http_client.h"

namespace plainfs::remote {

// Thread-safe.
class Origin {
 public:
  virtual ~Origin() = default;

  // Which object of which service that is: another text for each, and the same for the same in every session.
  virtual std::string address(const std::string& location) const = 0;
  // A GET of the object at location, ready to be sent. fields: what else it carries, "name: value". Throws
  // where there is nothing to sign it with, and Cancelled.
  virtual HttpRequest get(const std::string& location, std::vector<std::string> fields) = 0;
  // Whether get() has what it signs with, without asking a service for it.
  virtual bool has_keys() { return true; }
  // Whose keys the requests carry, as is said where one is refused: "the key is from the profile lab". ""
  // where they carry none of plainfs's.
  virtual std::string asker() { return {}; }
  // Whether what stands in a Location field may be asked without it.
  virtual bool follows_redirects() const = 0;
  // After a reply that refused such a request: whether one made anew may do better.
  virtual bool learn_from(const HttpHead& head, const std::string& error_code) = 0;
};

// Of URLs that begin with base, or as the folder that base lies in; what comes behind that is
// percent-encoded.
std::unique_ptr<Origin> http_origin(std::string base, const RemoteOptions& options);

// A small question that is asked until it is answered.

// The body of the reply to the request that make() gives, anew for each attempt. Throws unreadable where all
// of them fail or the body is longer than most_bytes, and Cancelled.
std::string answered(const std::function<HttpRequest()>& make, Origin& origin, HttpClient& client,
                     size_t most_bytes);

// How often and after which pauses a request is made again.

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);  // whether a thread that waits was interrupted
constexpr unsigned kMostRenewals = 2;                          // of the credentials, for one request

// AWS_MAX_ATTEMPTS where it is set, else 10.
unsigned most_attempts();
// Before the attempt after that many: any time up to 50 ms, doubled each time, 20 s at most; so those who
// were refused together do not come back together.
std::chrono::milliseconds pause_after(unsigned attempts);

}  // namespace plainfs::remote
