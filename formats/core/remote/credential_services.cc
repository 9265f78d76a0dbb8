#include "formats/core/remote/credential_services.h"

#include <fstream>
#include <sstream>

#include "formats/core/base/error.h"
#include "formats/core/remote/url.h"
#include "formats/core/text/json.h"
#include "formats/core/text/percent.h"

namespace plainfs::remote {
namespace {

constexpr long kMostSeconds = 20;         // for an answer of a service
constexpr long kMachineSeconds = 2;       // of one that may not be there
constexpr size_t kMostBytes = 256 << 10;  // of an answer

std::string token_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw unreadable("{}: cannot be read", path);
  std::ostringstream content;
  content << file.rdbuf();
  std::string text = content.str();
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// "2026-11-22T12:00:00Z"
std::optional<std::time_t> time_of(const std::string& text) {
  std::tm parts{};
  if (!::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts)) return std::nullopt;
  return ::timegm(&parts);
}

std::string between(const std::string& text, const std::string& open, const std::string& close) {
  const size_t at = text.find(open);
  const size_t end = at == text.npos ? at : text.find(close, at);
  return end == text.npos ? "" : text.substr(at + open.size(), end - at - open.size());
}

Error no_keys(const std::string& service, const HttpReply& reply) {
  return unreadable("no credentials from {}: {}", service,
                    reply.head.status == 0 ? reply.failure : fmt::format("it answers {}", reply.head.status));
}

// {"AccessKeyId": …, "SecretAccessKey": …, "Token": …, "Expiration": …}
TimedKeys keys_of_json(const std::string& service, const HttpReply& reply) {
  if (reply.head.status != 200 || !reply.failure.empty()) throw no_keys(service, reply);
  const Json answer = parse_json(reply.body);
  const auto text = [&](const char* name) {
    const Json* value = answer.find(name);
    return value && value->text() ? *value->text() : std::string();
  };
  TimedKeys keys{{text("AccessKeyId"), text("SecretAccessKey"), text("Token")}, time_of(text("Expiration"))};
  if (keys.keys.id.empty() || keys.keys.secret.empty())
    throw unreadable("no credentials from {}: its answer has no keys", service);
  return keys;
}

// Whether the service is on this machine or its network of links, as AWS's tools want it where it is not
// https.
bool is_local(const Url& url) {
  return url.host == "localhost" || url.host.starts_with("127.") || url.host == "[::1]" ||
         url.host == "169.254.170.2" || url.host == "169.254.170.23" || url.host == "[fd00:ec2::23]";
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
  request.most_seconds = kMostSeconds;
  request.fields = {"Content-Type: application/x-www-form-urlencoded"};
  request.body =
      "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + percent_encoded(role, false) +
      "&RoleSessionName=" + percent_encoded(session, false) +
      "&WebIdentityToken=" + percent_encoded(token_in(token_file), false);
  const HttpReply reply = client.ask(std::move(request), kMostBytes);
  if (reply.head.status != 200 || !reply.failure.empty()) throw no_keys("the token service", reply);
  const auto text = [&](const std::string& name) {
    return between(reply.body, "<" + name + ">", "</" + name + ">");
  };
  TimedKeys keys{{text("AccessKeyId"), text("SecretAccessKey"), text("SessionToken")},
                 time_of(text("Expiration"))};
  if (keys.keys.id.empty() || keys.keys.secret.empty())
    throw unreadable("no credentials from the token service: its answer has no keys");
  return keys;
}

std::optional<TimedKeys> keys_of_container(const Environment& environment, HttpClient& client) {
  const std::string relative = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const std::string place = relative.empty() ? environment("AWS_CONTAINER_CREDENTIALS_FULL_URI")
                                             : "http://169.254.170.2" + relative;
  if (place.empty()) return std::nullopt;
  const Url url = parse_url(place);
  if (url.scheme != "https" && !is_local(url))
    throw unreadable("no credentials from the container's service: {} is neither https nor of this machine",
                     url.host);
  HttpRequest request;
  request.url = url.text();
  request.past_proxies = true;
  request.most_seconds = kMostSeconds;
  const std::string token_file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const std::string token =
      token_file.empty() ? environment("AWS_CONTAINER_AUTHORIZATION_TOKEN") : token_in(token_file);
  if (!token.empty()) request.fields.push_back("Authorization: " + token);
  return keys_of_json("the container's service", client.ask(std::move(request), kMostBytes));
}

std::optional<TimedKeys> keys_of_machine(const Environment& environment, HttpClient& client) {
  if (environment("AWS_EC2_METADATA_DISABLED") == "true") return std::nullopt;
  std::string service = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (service.empty()) service = "http://169.254.169.254";
  while (service.ends_with('/')) service.pop_back();
  const auto request = [&](const std::string& path) {
    HttpRequest made;
    made.url = service + path;
    made.past_proxies = true;
    made.connect_seconds = made.most_seconds = kMachineSeconds;
    return made;
  };
  HttpRequest session = request("/latest/api/token");
  session.method = "PUT";
  session.fields = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"};
  const HttpReply token = client.ask(std::move(session), kMostBytes);
  if (token.head.status != 200 || !token.failure.empty()) return std::nullopt;  // no such machine
  const auto ask = [&](const std::string& path) {
    HttpRequest made = request(path);
    made.fields = {"X-aws-ec2-metadata-token: " + token.body};
    return client.ask(std::move(made), kMostBytes);
  };
  const std::string roles = "/latest/meta-data/iam/security-credentials/";
  const HttpReply role = ask(roles);
  if (role.head.status == 404) return std::nullopt;
  if (role.head.status != 200 || !role.failure.empty()) throw no_keys("the machine's service", role);
  return keys_of_json("the machine's service", ask(roles + role.body.substr(0, role.body.find('\n'))));
}

}  // namespace plainfs::remote
