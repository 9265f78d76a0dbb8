// An origin of objects. It builds requests for one service: plain HTTP, or an object store with a signature.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/core/remote/http_client.h"

namespace plainfs::remote {

// A service that has objects. Thread-safe.
class Origin {
 public:
  virtual ~Origin() = default;

  // Returns a text that identifies an object of a service: unique, and the same in every session.
  virtual std::string address(const std::string& location) const = 0;
  // Returns a GET request for the object at `location`, ready to send. fields: additional header fields,
  // "name: value". Throws if there are no keys to sign it with, and Cancelled.
  virtual HttpRequest get(const std::string& location, std::vector<std::string> fields) = 0;
  // Returns such a request for `url`, the target of a redirect. It carries only what is meant for its host.
  virtual HttpRequest get_redirected(const std::string& url, std::vector<std::string> fields);
  // Returns whether get() has its keys without asking a service for them.
  virtual bool has_keys() { return true; }
  // Returns a description of the keys for messages about a refused request: "the key is from the profile
  // lab". Returns "" if requests have no keys of plainfs.
  virtual std::string credential_source() { return {}; }
  // Returns whether the target of a Location field may be requested without the origin.
  virtual bool follows_redirects() const = 0;
  // Examines a reply that refused a request. Returns whether a new request may succeed.
  virtual bool learn_from(const HttpHead& head, const std::string& error_code) = 0;
};

// Returns the origin of URLs that begin with `base`, or that lie in the folder of `base`. The rest of the URL
// is percent-encoded.
std::unique_ptr<Origin> http_origin(std::string base, const RemoteOptions& options);

// Returns the body of the reply to the request from make(), which is called again for each attempt. Throws
// unreadable if all attempts fail or the body is longer than `max_bytes`, and Cancelled.
std::string answered(const std::function<HttpRequest()>& make, Origin& origin, HttpClient& client,
                     size_t max_bytes);

// The number of attempts of a request and the pauses between them.

// The time between checks whether a waiting thread was interrupted.
constexpr auto kBetweenLooks = std::chrono::milliseconds(50);
constexpr unsigned kMaxRenewals = 2;  // of the credentials, per request

// Returns AWS_MAX_ATTEMPTS if it is set, else 10.
unsigned max_attempts();
// Returns the pause after that many attempts: random, up to 50 ms, doubled after each attempt, 20 s at most.
// Clients that were refused together thus do not return together.
std::chrono::milliseconds pause_after(unsigned attempts);

}  // namespace plainfs::remote
