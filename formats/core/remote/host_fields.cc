#include "formats/core/remote/host_fields.h"

#include <algorithm>
#include <optional>

#include "formats/core/base/descriptor.h"
#include "formats/core/base/error.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/split.h"
#include "formats/core/text/trimmed.h"

namespace plainfs::remote {
namespace {

constexpr size_t kMaxFileBytes = 1 << 20;

// A service with a token in the environment.
struct Service {
  const char* variable;
  std::string_view host;  // ".NAME": every host below NAME
  std::string_view before;
};

constexpr Service kServices[] = {
    {"HF_TOKEN", "huggingface.co", "Bearer "},                         // huggingface_hub
    {"ZENODO_TOKEN", "zenodo.org", "Bearer "},                         // no program of Zenodo's own
    {"DANDI_API_KEY", "api.dandiarchive.org", "token "},               // dandi
    {"SYNAPSE_AUTH_TOKEN", "repo-prod.prod.sagebase.org", "Bearer "},  // synapseclient
    {"EARTHDATA_TOKEN", ".earthdata.nasa.gov", "Bearer "},             // earthaccess
    {"EARTHDATA_TOKEN", ".earthdatacloud.nasa.gov", "Bearer "},
};

// Fields that plainfs sets itself, or that change which bytes a reply has.
constexpr std::string_view kOwnFields[] = {
    "accept-encoding", "connection", "content-length",   "host", "if-match", "if-unmodified-since",
    "if-none-match",   "range",      "transfer-encoding"};

bool is_token_letter(char c) {  // RFC 9110, section 5.6.2
  return (c >= '0' && c <= '9') || (lower_case(c) >= 'a' && lower_case(c) <= 'z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
}

std::string port_of(const Url& url) {
  if (!url.port.empty()) return url.port;
  return url.scheme == "http" ? "80" : "443";
}

bool keeps_secrets(const Url& url) {
  return url.scheme == "https" || is_this_machine(url.host);
}

bool is_host(std::string_view rule, const std::string& host) {
  return rule.starts_with('.') ? host.ends_with(rule) : host == rule;
}

constexpr std::string_view kBlanks = " \t\r\n";

// Takes the next word of a ~/.netrc from `text`, without its quotes. Returns nullopt at the end.
std::optional<std::string> next_word(std::string_view& text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (!text.starts_with('#')) break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  if (text.empty()) return std::nullopt;
  std::string word;
  if (text.front() != '"') {
    word = text.substr(0, text.find_first_of(kBlanks));
    text.remove_prefix(word.size());
    return word;
  }
  for (text.remove_prefix(1); !text.empty() && text.front() != '"'; text.remove_prefix(1)) {
    if (text.front() == '\\' && text.size() > 1) text.remove_prefix(1);
    word += text.front();
  }
  text.remove_prefix(std::min<size_t>(1, text.size()));
  return word;
}

}  // namespace

std::vector<std::string> hosts_of_netrc(std::string_view text) {
  std::vector<std::string> hosts;
  while (const std::optional<std::string> word = next_word(text)) {
    if (*word == "machine") {
      if (const std::optional<std::string> host = next_word(text)) hosts.push_back(lower_case(*host));
    } else if (*word == "login" || *word == "password" || *word == "account") {
      next_word(text);
    } else if (*word == "macdef") {
      text.remove_prefix(std::min(text.find("\n\n"), text.size()));  // a macro ends at an empty line
    }
  }
  return hosts;
}

HostFields::HostFields(const Url& own, const std::string& header_file, const Environment& environment)
    : own_(own) {
  if (!header_file.empty()) {
    const std::optional<std::string> text = file_content(header_file, kMaxFileBytes + 1);
    if (!text) throw unreadable("header_file: {}: cannot be read", header_file);
    if (text->size() > kMaxFileBytes)
      throw unsupported("header_file: {}: more than {} bytes", header_file, kMaxFileBytes);
    add_lines(*text, header_file);
  }
  const auto is_own = [&](const Field& field) {
    return field.host == lower_case(own_.host) && field.port == port_of(own_);
  };
  if (!keeps_secrets(own_) && std::any_of(fields_.begin(), fields_.end(), is_own))
    throw unsupported("header_file: {}: the store's host has fields in it, which are sent over https only",
                      header_file);
  add_tokens(environment);
  if (const std::string home = environment("HOME"); !home.empty())
    if (const std::optional<std::string> text = file_content(home + "/.netrc", kMaxFileBytes))
      netrc_hosts_ = hosts_of_netrc(*text);
}

void HostFields::add_lines(std::string_view text, const std::string& file) {
  size_t number = 0;
  while (!text.empty()) {
    const std::string_view line = trimmed(take_part(text, '\n'));
    ++number;
    if (line.empty() || line.front() == '#') continue;
    // Messages do not quote the line, which has a secret.
    const auto refuse = [&](std::string_view why) {
      return damaged("header_file: {}: line {}: {}", file, number, why);
    };
    const size_t blank = line.find_first_of(" \t");
    const std::string_view field = blank == line.npos ? std::string_view() : trimmed(line.substr(blank));
    const size_t colon = field.find(':');
    if (colon == field.npos || colon == 0) throw refuse("expected HOST[:PORT] NAME: VALUE");
    const std::string name = lower_case(field.substr(0, colon));
    if (!std::all_of(name.begin(), name.end(), is_token_letter))
      throw refuse("expected HOST[:PORT] NAME: VALUE");
    if (std::any_of(field.begin(), field.end(), is_control)) throw refuse("a control character");
    if (std::find(std::begin(kOwnFields), std::end(kOwnFields), name) != std::end(kOwnFields))
      throw refuse("plainfs sets this field itself");
    Url place;
    try {
      place = parse_url("https://" + lower_case(line.substr(0, blank)));
    } catch (const Error&) {
      throw refuse("the host is not valid");
    }
    if (place.path.size() > 1 || !place.query.empty()) throw refuse("the host is not valid");
    const std::string port = !place.port.empty()                   ? place.port
                             : place.host == lower_case(own_.host) ? port_of(own_)
                                                                   : port_of(place);
    fields_.push_back({place.host, port, std::string(field)});
  }
}

void HostFields::add_tokens(const Environment& environment) {
  for (const Service& service : kServices) {
    const std::string token(trimmed(environment(service.variable)));
    if (token.empty() || std::any_of(token.begin(), token.end(), is_control)) continue;
    fields_.push_back(
        {std::string(service.host), "443", fmt::format("Authorization: {}{}", service.before, token)});
  }
}

std::vector<std::string> HostFields::of(const Url& url) const {
  std::vector<std::string> fields;
  if (!keeps_secrets(url)) return fields;
  bool is_authorized = false;
  // The file of the user precedes the environment.
  for (const Field& field : fields_) {
    if (!is_host(field.host, lower_case(url.host)) || field.port != port_of(url)) continue;
    const bool authorizes = lower_case(field.text).starts_with("authorization:");
    if (authorizes && is_authorized) continue;
    is_authorized = is_authorized || authorizes;
    fields.push_back(field.text);
  }
  return fields;
}

bool HostFields::may_use_netrc(const Url& url) const {
  if (lower_case(url.host) == lower_case(own_.host))
    return url.scheme == own_.scheme && port_of(url) == port_of(own_);
  return keeps_secrets(url) &&
         std::find(netrc_hosts_.begin(), netrc_hosts_.end(), lower_case(url.host)) != netrc_hosts_.end();
}

}  // namespace plainfs::remote
