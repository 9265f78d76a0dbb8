// How the objects of one service are asked for: over plain HTTP, or of S3 with a signature.
#pragma once

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
  // Whether get() has what it signs with, and asks nobody for it.
  virtual bool has_keys() { return true; }
  // Whether what stands in a Location field may be asked without it.
  virtual bool follows_redirects() const = 0;
  // After a reply that refused such a request: whether one made anew may do better.
  virtual bool learn_from(const HttpHead& head, const std::string& error_code) = 0;
};

// Of URLs that begin with base; what comes behind it is percent-encoded.
std::unique_ptr<Origin> http_origin(std::string base, const RemoteOptions& options);

}  // namespace plainfs::remote
