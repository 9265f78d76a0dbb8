// Where the keys that requests to S3 are signed with come from, in the order of AWS's tools: the environment,
// a web identity, the profile files, the container's and the machine's own services. Keys for a time are
// asked for again before they end: by one thread, while the others go on with those that are valid still.
// None is ever part of a message.
#pragma once

#include <ctime>
#include <functional>
#include <optional>
#include <string>

#include "cache/mutex.h"
#include "formats/core/base/error.h"
#include "formats/core/remote/http_client.h"
#include "formats/core/remote/profile_file.h"
#include "formats/core/remote/sigv4.h"

namespace plainfs::remote {

// The value of a variable; "" where it is not set.
using Environment = std::function<std::string(const std::string& name)>;
Environment process_environment();

struct TimedKeys {
  Keys keys;
  std::optional<std::time_t> until;  // none: for good
};

// What the two files say of the profile that the environment names, or of the default one.
Profile chosen_profile(const Environment& environment);

// Thread-safe.
class Credentials {
 public:
  // region: whose token service is asked. client: outlives this.
  Credentials(Environment environment, std::string region, HttpClient& client);

  // Whether current() asks nobody.
  bool has_keys();
  // Throws unreadable where there are none, or where they cannot be had just now, and Cancelled.
  Keys current();
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

}  // namespace plainfs::remote
