#include "formats/core/remote/credentials.h"
#include "formats/core/remote/list_xml.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cache/cancellable_lock.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/base/error.h"
#include "formats/core/remote/url.h"
#include "formats/core/text/json.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/split.h"
#include "formats/core/text/trimmed.h"

namespace plainfs::remote {

std::string value_of(const Profile& profile, const std::string& name) {
  const auto found = profile.find(name);
  return found == profile.end() ? "" : found->second;
}

std::map<std::string, Profile> parse_profiles(std::string_view text) {
  std::map<std::string, Profile> profiles;
  Profile* current = nullptr;
  while (!text.empty()) {
    const std::string_view whole = take_part(text, '\n'), line = trimmed(whole);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') {
      constexpr std::string_view kProfile = "profile ";
      std::string_view name = trimmed(line.substr(1, line.find(']') - 1));
      if (name.starts_with(kProfile)) name = trimmed(name.substr(kProfile.size()));
      if (name.size() > 1 && name.front() == '"' && name.back() == '"')
        name = name.substr(1, name.size() - 2);
      current = &profiles[std::string(name)];
      continue;
    }
    const bool is_indented = whole[0] == ' ' || whole[0] == '\t';
    const size_t equals = line.find('=');
    if (!current || is_indented || equals == std::string_view::npos) continue;
    (*current)[std::string(trimmed(line.substr(0, equals)))] = trimmed(line.substr(equals + 1));
  }
  return profiles;
}

namespace {

constexpr std::time_t kBeforeTheEnd = 300;  // seconds; keys that expire sooner are renewed
// Seconds. A request with keys that expire sooner may arrive too late.
constexpr std::time_t kAtLeast = 30;
constexpr std::time_t kTogether = 1;  // seconds in which one request serves all threads

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

// If both files set a name, the first one is used.
Profile chosen_profile(const Environment& environment) {
  const std::string name = profile_name(environment);
  Profile chosen;
  for (const auto& [variable, usual] :
       {std::pair{"AWS_SHARED_CREDENTIALS_FILE", "credentials"}, std::pair{"AWS_CONFIG_FILE", "config"}}) {
    const std::string path = path_of(environment, variable, usual);
    if (path.empty()) continue;
    const auto profiles = parse_profiles(file_content(path).value_or(""));
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
  return TimedKeys{std::move(keys), {}, {}};
}

std::optional<TimedKeys> Credentials::of_profile() const {
  const Profile profile = chosen_profile(environment_);
  Keys keys{value_of(profile, "aws_access_key_id"), value_of(profile, "aws_secret_access_key"),
            value_of(profile, "aws_session_token")};
  if (!keys.id.empty() && !keys.secret.empty()) return TimedKeys{std::move(keys), {}, {}};
  for (const char* other : {"role_arn", "sso_session", "sso_start_url", "credential_process"})
    if (!value_of(profile, other).empty())
      throw unsupported(
          "the profile {} takes its keys from {}, which plainfs does not read; `aws configure "
          "export-credentials "
          "--format "
          "env` gives them for the environment",
          profile_name(environment_), other);
  return std::nullopt;
}

TimedKeys Credentials::find() const {
  const auto from = [](TimedKeys keys, std::string source) {
    keys.source = std::move(source);
    return keys;
  };
  if (auto keys = of_environment()) return from(*keys, "the environment (AWS_ACCESS_KEY_ID)");
  if (auto keys = keys_of_web_identity(environment_, region_, client_))
    return from(*keys, "the token service, for AWS_ROLE_ARN");
  if (auto keys = of_profile())
    return from(*keys, "the profile " + profile_name(environment_) + " in ~/.aws");
  if (auto keys = keys_of_container(environment_, client_)) return from(*keys, "the container's service");
  if (auto keys = keys_of_machine(environment_, client_)) return from(*keys, "the machine's service");
  throw unreadable(
      "no credentials for S3 in the environment (AWS_ACCESS_KEY_ID), in ~/.aws or from this "
      "machine; for public data: -o no_sign");
}

// Returns the keys that are valid for at least `seconds`.
std::optional<Keys> Credentials::known_for(std::time_t seconds) {
  const std::time_t now = std::time(nullptr);
  const MutexLock lock(mutex_);
  if (!known_ || (known_->until && *known_->until <= now + seconds)) return std::nullopt;
  return known_->keys;
}

bool Credentials::has_keys() {
  return known_for(kBeforeTheEnd).has_value();
}

// Finds keys. Threads that waited meanwhile get the same keys, or the same failure.
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

std::string Credentials::source() {
  const MutexLock lock(mutex_);
  return known_ ? known_->source : "";
}

bool Credentials::renew() {
  Keys refused;
  {
    const MutexLock lock(mutex_);
    if (!known_) return true;
    refused = known_->keys;
  }
  if (of_environment()) return false;  // the environment does not change
  if (const auto again = of_profile(); again && again->keys.secret == refused.secret) return false;
  const MutexLock lock(mutex_);
  if (!known_ || known_->keys.secret != refused.secret) return true;
  // Several requests are refused together, and the first of them has already renewed the keys.
  if (is_renewed_ && std::time(nullptr) <= found_at_ + kTogether) return true;
  known_.reset();
  is_renewed_ = true;
  return true;
}

namespace {

constexpr long kMaxSeconds = 20;         // for a service's answer
constexpr long kMachineSeconds = 2;      // for a service that may not exist
constexpr size_t kMaxBytes = 256 << 10;  // of an answer

std::string token_in(const std::string& path) {
  std::optional<std::string> content = file_content(path);
  if (!content) throw unreadable("{}: {}", path, std::strerror(errno));
  std::string text = *std::move(content);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// "2026-11-22T12:00:00Z"
std::optional<std::time_t> time_of(const std::string& text) {
  std::tm parts{};
  if (!::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts)) return std::nullopt;
  return ::timegm(&parts);
}

Error no_keys(const std::string& service, const HttpReply& reply) {
  return unreadable("no credentials from {}: {}", service,
                    reply.head.status == 0 ? reply.failure : fmt::format("status {}", reply.head.status));
}

// {"AccessKeyId": …, "SecretAccessKey": …, "Token": …, "Expiration": …}
TimedKeys keys_of_json(const std::string& service, const HttpReply& reply) {
  if (reply.head.status != 200 || !reply.failure.empty()) throw no_keys(service, reply);
  const Json answer = parse_json(reply.body);
  const auto text = [&](const char* name) {
    const Json* value = answer.find(name);
    return value && value->text() ? *value->text() : std::string();
  };
  TimedKeys keys{
      {text("AccessKeyId"), text("SecretAccessKey"), text("Token")}, time_of(text("Expiration")), {}};
  if (keys.keys.id.empty() || keys.keys.secret.empty())
    throw unreadable("no credentials from {}: the reply has no keys", service);
  return keys;
}

// Returns whether the service is on this machine or its link-local network, which AWS's tools require for a
// service without https.
bool is_local(const Url& url) {
  return is_this_machine(url.host) || url.host == "169.254.170.2" || url.host == "169.254.170.23" ||
         url.host == "[fd00:ec2::23]";
}

}  // namespace

std::optional<TimedKeys> keys_of_web_identity(const Environment& environment, const std::string& region,
                                              HttpClient& client) {
  const std::string token_file = environment("AWS_WEB_IDENTITY_TOKEN_FILE"),
                    role = environment("AWS_ROLE_ARN");
  if (token_file.empty() || role.empty()) return std::nullopt;
  std::string session = environment("AWS_ROLE_SESSION_NAME");
  if (session.empty()) session = "plainfs";
  std::string service = environment("AWS_ENDPOINT_URL_STS");
  if (service.empty()) service = "https://sts." + region + ".amazonaws.com";
  HttpRequest request;
  request.method = "POST";
  request.url = service + "/";
  request.max_seconds = kMaxSeconds;
  request.fields = {"Content-Type: application/x-www-form-urlencoded"};
  request.body =
      "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + percent_encoded(role, false) +
      "&RoleSessionName=" + percent_encoded(session, false) +
      "&WebIdentityToken=" + percent_encoded(token_in(token_file), false);
  const HttpReply reply = client.ask(std::move(request), kMaxBytes);
  if (reply.head.status != 200 || !reply.failure.empty()) throw no_keys("the token service", reply);
  const auto text = [&](const std::string& name) { return element_text(reply.body, name); };
  TimedKeys keys{
      {text("AccessKeyId"), text("SecretAccessKey"), text("SessionToken")}, time_of(text("Expiration")), {}};
  if (keys.keys.id.empty() || keys.keys.secret.empty())
    throw unreadable("no credentials from the token service: the reply has no keys");
  return keys;
}

std::optional<TimedKeys> keys_of_container(const Environment& environment, HttpClient& client) {
  const std::string relative = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const std::string place = relative.empty() ? environment("AWS_CONTAINER_CREDENTIALS_FULL_URI")
                                             : "http://169.254.170.2" + relative;
  if (place.empty()) return std::nullopt;
  const Url url = parse_url(place);
  if (url.scheme != "https" && !is_local(url))
    throw unreadable("no credentials from the container's service: {} is neither https nor on this machine",
                     url.host);
  HttpRequest request;
  request.url = url.text();
  request.past_proxies = true;
  request.max_seconds = kMaxSeconds;
  const std::string token_file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const std::string token =
      token_file.empty() ? environment("AWS_CONTAINER_AUTHORIZATION_TOKEN") : token_in(token_file);
  if (!token.empty()) request.fields.push_back("Authorization: " + token);
  return keys_of_json("the container's service", client.ask(std::move(request), kMaxBytes));
}

std::optional<TimedKeys> keys_of_machine(const Environment& environment, HttpClient& client) {
  if (environment("AWS_EC2_METADATA_DISABLED") == "true") return std::nullopt;
  std::string service = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (service.empty()) service = "http://169.254.169.254";
  while (service.ends_with('/')) service.pop_back();
  const auto request = [&](const std::string& path) {
    HttpRequest generated;
    generated.url = service + path;
    generated.past_proxies = true;
    generated.connect_seconds = generated.max_seconds = kMachineSeconds;
    return generated;
  };
  HttpRequest session = request("/latest/api/token");
  session.method = "PUT";
  session.fields = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"};
  const HttpReply token = client.ask(std::move(session), kMaxBytes);
  // This machine has no such service.
  if (token.head.status != 200 || !token.failure.empty()) return std::nullopt;
  const auto ask = [&](const std::string& path) {
    HttpRequest generated = request(path);
    generated.fields = {"X-aws-ec2-metadata-token: " + token.body};
    return client.ask(std::move(generated), kMaxBytes);
  };
  const std::string roles = "/latest/meta-data/iam/security-credentials/";
  const HttpReply role = ask(roles);
  if (role.head.status == 404) return std::nullopt;
  if (role.head.status != 200 || !role.failure.empty()) throw no_keys("the machine's service", role);
  return keys_of_json("the machine's service", ask(roles + role.body.substr(0, role.body.find('\n'))));
}

}  // namespace plainfs::remote
