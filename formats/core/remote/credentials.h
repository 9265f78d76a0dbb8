// The files in which AWS's tools keep profiles: ~/.aws/credentials and ~/.aws/config.
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

// "" where it has none of that name.
std::string value_of(const Profile& profile, const std::string& name);

// By the name in brackets, "profile " in front of it left out as in ~/.aws/config. What is indented below a
// name without a value is its own, and left out. Lines that say nothing are passed over, as AWS's tools do.
std::map<std::string, Profile> parse_profiles(std::string_view text);

// Where the keys that requests to S3 are signed with come from, in the order of AWS's tools: the environment,
// a web identity, the profile files, the container's and the machine's own services. Keys for a time are
// asked for again before they end: by one thread, while the others go on with those that are valid still.
// None is ever part of a message.

// The value of a variable; "" where it is not set.
using Environment = std::function<std::string(const std::string& name)>;
Environment process_environment();

struct TimedKeys {
  Keys keys;
  std::optional<std::time_t> until;  // none: for good
  std::string source = "";           // "the environment (AWS_ACCESS_KEY_ID)"
};

// What the two files say of the profile that the environment names, or of the default one.
Profile chosen_profile(const Environment& environment);

// Thread-safe.
class Credentials {
 public:
  // region: whose token service is asked. client: outlives this.
  Credentials(Environment environment, std::string region, HttpClient& client);

  // Whether current() asks no service.
  bool has_keys();
  // Throws unreadable where there are none, or where they cannot be had just now, and Cancelled.
  Keys current();
  // Where those that are in use come from, in words; "" where none are.
  std::string source();
  // After current() was refused; the next call looks for others. False where there are none but these.
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
  Mutex mutex_;  // never held while anything is asked or read
  std::optional<TimedKeys> known_ GUARDED_BY(mutex_);
  std::time_t found_at_ GUARDED_BY(mutex_) = 0;
  bool is_renewed_ GUARDED_BY(mutex_) = false;
};

// Services that give keys for a time: AWS's token service to a pod, and those that only this machine or
// container can reach. Each gives nullopt where the environment does not lead to it, and throws unreadable
// where it does and no keys come.

// AssumeRoleWithWebIdentity, by AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN.
std::optional<TimedKeys> keys_of_web_identity(const Environment& environment, const std::string& region,
                                              HttpClient& client);
// By AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or AWS_CONTAINER_CREDENTIALS_FULL_URI.
std::optional<TimedKeys> keys_of_container(const Environment& environment, HttpClient& client);
// The instance's metadata service (IMDSv2), also nullopt where there is none, or it knows no role.
// AWS_EC2_METADATA_DISABLED=true: it is not asked.
std::optional<TimedKeys> keys_of_machine(const Environment& environment, HttpClient& client);

}  // namespace plainfs::remote
