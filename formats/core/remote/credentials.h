// Reads the profile files of AWS's tools: ~/.aws/credentials and ~/.aws/config.
#pragma once

#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cache/mutex.h"
#include "formats/core/base/error.h"
#include "formats/core/remote/http_client.h"
#include "formats/core/remote/sigv4.h"

namespace plainfs::remote {

// name → value
using Profile = std::map<std::string, std::string>;

// Returns the value of `name`, or "" if the profile does not have it.
std::string value_of(const Profile& profile, const std::string& name);

// Returns the profiles of a file by their name in brackets, without the prefix "profile " of ~/.aws/config.
// Indented lines below a name without a value are nested settings and are ignored. Other lines without
// meaning are ignored too, as in AWS's tools.
std::map<std::string, Profile> parse_profiles(std::string_view text);

// Returns the value of a variable, or "" if it is not set.
using Environment = std::function<std::string(const std::string& name)>;
Environment process_environment();

struct TimedKeys {
  Keys keys;
  std::optional<std::time_t> until;  // nullopt: permanent
  std::string source = "";           // for example "the environment (AWS_ACCESS_KEY_ID)"
};

// Returns the settings of the profile that the environment names, or of the default one, from both files.
Profile chosen_profile(const Environment& environment);

// The keys that sign requests to S3, searched in the order of AWS's tools: the environment, a web identity,
// the profile files, and the services of the container and the machine. Temporary keys are renewed before
// they expire: by one thread, while the others continue with keys that are still valid. Keys never appear in
// a message. Thread-safe.
class Credentials {
 public:
  // region: selects the token service to ask. client: must outlive this object.
  Credentials(Environment environment, std::string region, HttpClient& client);

  // Returns whether current() needs no request to a service.
  bool has_keys();
  // Returns the keys. Throws unreadable if none exist or they cannot be obtained at the moment, and
  // Cancelled.
  Keys current();
  // Returns a description of the source of the keys in use, or "" if no keys are in use.
  std::string source();
  // Discards keys that a server refused; the next current() looks for other ones. Returns false if there are
  // no others.
  bool renew();

 private:
  std::optional<Keys> known_for(std::time_t seconds);
  Keys asked() REQUIRES(asking_);
  TimedKeys find() const;
  std::optional<TimedKeys> of_environment() const;
  std::optional<TimedKeys> of_profile() const;

  const Environment environment_;
  const std::string region_;
  HttpClient& client_;
  Mutex asking_;  // held while services are asked; taken before mutex_
  std::optional<Error> failure_ GUARDED_BY(asking_);
  std::time_t failed_at_ GUARDED_BY(asking_) = 0;
  Mutex mutex_;  // never held during a request or while reading a file
  std::optional<TimedKeys> known_ GUARDED_BY(mutex_);
  std::time_t found_at_ GUARDED_BY(mutex_) = 0;
  bool is_renewed_ GUARDED_BY(mutex_) = false;
};

// Services that give temporary keys: AWS's token service for a pod, and services that only this machine or
// container can reach. Each function returns nullopt if the environment does not refer to its service, and
// throws unreadable if it does and no keys are received.

// Returns keys from AssumeRoleWithWebIdentity, using AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN.
std::optional<TimedKeys> keys_of_web_identity(const Environment& environment, const std::string& region,
                                              HttpClient& client);
// Returns keys from the service in AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or
// AWS_CONTAINER_CREDENTIALS_FULL_URI.
std::optional<TimedKeys> keys_of_container(const Environment& environment, HttpClient& client);
// Returns keys from the instance's metadata service (IMDSv2). Returns nullopt also if there is no such
// service or it knows no role. AWS_EC2_METADATA_DISABLED=true disables it.
std::optional<TimedKeys> keys_of_machine(const Environment& environment, HttpClient& client);

}  // namespace plainfs::remote
