#include "formats/core/remote/credentials.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cache/cancellable_lock.h"
#include "formats/core/remote/credential_services.h"

namespace plainfs::remote {
namespace {

constexpr std::time_t kBeforeTheEnd = 300;  // seconds; keys that end sooner are asked for anew
constexpr std::time_t kAtLeast = 30;        // seconds; a request with keys that end sooner may come too late
constexpr std::time_t kTogether = 1;        // seconds, in which one asks for all

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

std::string path_of(const Environment& environment, const char* variable, const char* usual) {
  if (const std::string path = environment(variable); !path.empty()) return path;
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.aws/" + usual;
}

std::string profile_name(const Environment& environment) {
  for (const char* variable : {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"})
    if (const std::string name = environment(variable); !name.empty()) return name;
  return "default";
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::string {
    const char* const value = std::getenv(name.c_str());
    return value ? value : "";
  };
}

// Where both say something of a name, the first file counts.
Profile chosen_profile(const Environment& environment) {
  const std::string name = profile_name(environment);
  Profile chosen;
  for (const auto& [variable, usual] :
       {std::pair{"AWS_SHARED_CREDENTIALS_FILE", "credentials"}, std::pair{"AWS_CONFIG_FILE", "config"}}) {
    const std::string path = path_of(environment, variable, usual);
    if (path.empty()) continue;
    const auto profiles = parse_profiles(content_of(path));
    if (const auto found = profiles.find(name); found != profiles.end())
      chosen.insert(found->second.begin(), found->second.end());
  }
  return chosen;
}

Credentials::Credentials(Environment environment, std::string region, HttpClient& client)
    : environment_(std::move(environment)), region_(std::move(region)), client_(client) {}

std::optional<TimedKeys> Credentials::of_environment() const {
  Keys keys{environment_("AWS_ACCESS_KEY_ID"), environment_("AWS_SECRET_ACCESS_KEY"),
            environment_("AWS_SESSION_TOKEN")};
  if (keys.id.empty() || keys.secret.empty()) return std::nullopt;
  return TimedKeys{std::move(keys), {}};
}

std::optional<TimedKeys> Credentials::of_profile() const {
  const Profile profile = chosen_profile(environment_);
  Keys keys{value_of(profile, "aws_access_key_id"), value_of(profile, "aws_secret_access_key"),
            value_of(profile, "aws_session_token")};
  if (!keys.id.empty() && !keys.secret.empty()) return TimedKeys{std::move(keys), {}};
  for (const char* other : {"role_arn", "sso_session", "sso_start_url", "credential_process"})
    if (!value_of(profile, other).empty())
      throw unsupported(
          "the profile {} has its keys from {}, which is not read; `aws configure export-credentials "
          "--format "
          "env` gives them for the environment",
          profile_name(environment_), other);
  return std::nullopt;
}

TimedKeys Credentials::find() const {
  if (auto keys = of_environment()) return *keys;
  if (auto keys = keys_of_web_identity(environment_, region_, client_)) return *keys;
  if (auto keys = of_profile()) return *keys;
  if (auto keys = keys_of_container(environment_, client_)) return *keys;
  if (auto keys = keys_of_machine(environment_, client_)) return *keys;
  throw unreadable(
      "no credentials for S3: neither in the environment (AWS_ACCESS_KEY_ID) nor in ~/.aws nor from this "
      "machine; for what is public: -o no_sign");
}

// Those that are valid for so long yet.
std::optional<Keys> Credentials::known_for(std::time_t seconds) {
  const std::time_t now = std::time(nullptr);
  const MutexLock lock(mutex_);
  if (!known_ || (known_->until && *known_->until <= now + seconds)) return std::nullopt;
  return known_->keys;
}

bool Credentials::has_keys() {
  return known_for(kBeforeTheEnd).has_value();
}

// Those who have waited meanwhile are served by what was found, or fail as it failed.
Keys Credentials::asked() {
  if (auto keys = known_for(kBeforeTheEnd)) return *keys;
  if (!failure_ || std::time(nullptr) > failed_at_ + kTogether) {
    failure_.reset();
    try {
      const std::time_t now = std::time(nullptr);
      TimedKeys found = find();
      const MutexLock lock(mutex_);
      known_ = found;
      found_at_ = now;
      return found.keys;
    } catch (const Error& error) {
      failure_ = error;
      failed_at_ = std::time(nullptr);
    }
  }
  if (auto keys = known_for(kAtLeast)) return *keys;
  throw *failure_;
}

Keys Credentials::current() {
  if (auto keys = known_for(kBeforeTheEnd)) return *keys;
  if (asking_.try_lock()) {
    const MutexLock asking(asking_, std::adopt_lock);
    return asked();
  }
  if (auto keys = known_for(kAtLeast)) return *keys;
  const CancellableLock asking(asking_);
  return asked();
}

bool Credentials::renew() {
  Keys refused;
  {
    const MutexLock lock(mutex_);
    if (!known_) return true;
    refused = known_->keys;
  }
  if (of_environment()) return false;  // which does not change
  if (const auto again = of_profile(); again && again->keys.secret == refused.secret) return false;
  const MutexLock lock(mutex_);
  if (!known_ || known_->keys.secret != refused.secret) return true;
  // Several requests are refused together, and the first has seen to it.
  if (is_renewed_ && std::time(nullptr) <= found_at_ + kTogether) return true;
  known_.reset();
  is_renewed_ = true;
  return true;
}

}  // namespace plainfs::remote
