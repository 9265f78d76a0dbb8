#include "formats/core/remote/remote_object.h"

#include <algorithm>
#include <charconv>

#include "formats/core/remote/list_xml.h"
#include "formats/core/remote/url.h"
#include "formats/core/text/ascii.h"

namespace plainfs::remote {
namespace {

constexpr auto kLongestPause = std::chrono::seconds(60);  // the longest pause that a server may ask for

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "bytes 0-99/1234": RFC 9110, section 14.4.
struct ContentRange {
  uint64_t first, last, size;
};
std::optional<ContentRange> content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  const size_t dash = text.find('-'), slash = text.find('/');
  if (!text.starts_with(kUnit) || dash == text.npos || slash == text.npos || slash < dash)
    return std::nullopt;
  const auto first = number(text.substr(kUnit.size(), dash - kUnit.size()));
  const auto last = number(text.substr(dash + 1, slash - dash - 1));
  const auto size = number(text.substr(slash + 1));
  if (!first || !last || !size || *last < *first || *size <= *last) return std::nullopt;
  return ContentRange{*first, *last, *size};
}

bool is_weak(const std::string& etag) {
  return etag.starts_with("W/");
}

Verdict failed(Error error) {
  return {Verdict::fail, std::move(error), {}};
}

}  // namespace

Error refused(long status, const std::string& code, const std::string& credential_source) {
  const bool is_about_keys =
      !credential_source.empty() && (status == 400 || status == 401 || status == 403 || status == 409);
  return unreadable("the server returned {}{}{}{}{}", status, code.empty() ? "" : " ", code,
                    is_about_keys ? "; " : "", is_about_keys ? credential_source : "");
}

bool is_passing(long status) {
  constexpr long kPassing[] = {0, 200, 206, 408, 429, 500, 502, 503, 504};
  return std::find(std::begin(kPassing), std::end(kPassing), status) != std::end(kPassing);
}

// Reads seconds. Dates are rare; for them plainfs chooses the pause.
std::chrono::milliseconds pause_asked_by(const HttpHead& head) {
  const auto seconds = number(head.field("retry-after"));
  if (!seconds) return {};
  return std::min<std::chrono::milliseconds>(std::chrono::seconds(std::min<uint64_t>(*seconds, 3600)),
                                             kLongestPause);
}

std::string error_code_of(const std::string& body) {
  const std::string code = element_text(body, "Code");
  const bool is_word = std::all_of(code.begin(), code.end(), [](char letter) {
    return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
           (letter >= '0' && letter <= '9') || letter == '.' || letter == '_';
  });
  return is_word && code.size() < 100 ? code : "";
}

RemoteObject::RemoteObject(std::shared_ptr<Origin> origin, std::string location)
    : origin_(std::move(origin)), location_(std::move(location)) {}

RemoteObject::RemoteObject(std::shared_ptr<Origin> origin, std::string location, Version version)
    : origin_(std::move(origin)), location_(std::move(location)), version_(std::move(version)) {}

void RemoteObject::expect(Version version) {
  const MutexLock lock(mutex_);
  expected_ = std::move(version);
}

std::optional<Version> RemoteObject::version() const {
  const MutexLock lock(mutex_);
  return version_;
}

HttpRequest RemoteObject::get(ByteRange range) {
  std::vector<std::string> fields{
      fmt::format("Range: bytes={}-{}", range.offset, range.offset + range.size - 1),
      "Accept-Encoding: identity"};
  std::string redirected_to;
  bool stays_public = false;
  {
    const MutexLock lock(mutex_);
    if (version_ && !version_->etag.empty() && !is_weak(version_->etag))
      fields.push_back("If-Match: " + version_->etag);
    else if (version_ && !version_->last_modified.empty())
      fields.push_back("If-Unmodified-Since: " + version_->last_modified);
    else if (!version_ && expected_)
      fields.push_back("If-None-Match: " + expected_->etag);
    redirected_to = redirected_to_;
    stays_public = !was_redirected_inside_;
  }
  if (redirected_to.empty()) return origin_->get(location_, std::move(fields));
  HttpRequest request = origin_->get_redirected(redirected_to, std::move(fields));
  request.stays_public = stays_public;
  return request;
}

Verdict RemoteObject::has_changed() {
  has_changed_.store(true, std::memory_order_relaxed);
  return failed(changed(location_));
}

void RemoteObject::check_unchanged() const {
  if (has_changed_.load(std::memory_order_relaxed)) throw changed(location_);
}

// Compares the version in the reply with the known one.
Verdict RemoteObject::settle(const HttpHead& head, uint64_t size) {
  if (size > kLargestObject) return failed(unreadable("the server reports a size of {} bytes", size));
  const Version reported{size, head.field("etag"), head.field("last-modified")};
  const MutexLock lock(mutex_);
  if (!version_) {
    if (reported.etag.empty() && reported.last_modified.empty()) {
      // The page that lists a folder has no version either, though its objects may.
      may_be_folder_.store(true, std::memory_order_relaxed);
      return failed(unsupported(
          "the server sends neither ETag nor Last-Modified, so changes to the store could not be detected"));
    }
    if (is_weak(reported.etag) && reported.last_modified.empty())
      return failed(
          unsupported("the server sends the weak ETag {} and no Last-Modified, so changes to the store could "
                      "not be detected",
                      reported.etag));
    version_ = reported;
    return {Verdict::take, {}, {}};
  }
  // A weak ETag only means that two versions are equivalent: their bytes may differ.
  const bool is_time_compared = version_->etag.empty() || is_weak(version_->etag);
  const bool is_same = reported.size == version_->size &&
                       (version_->etag.empty() || reported.etag == version_->etag) &&
                       (!is_time_compared || reported.last_modified == version_->last_modified);
  if (!is_same) return has_changed();
  if (version_->last_modified.empty()) version_->last_modified = reported.last_modified;
  return {Verdict::take, {}, {}};
}

Verdict RemoteObject::judge(const HttpHead& head, ByteRange range) {
  if (lower_case(head.field("content-type")).starts_with("text/html"))
    is_page_.store(true, std::memory_order_relaxed);
  if (const std::string& encoding = head.field("content-encoding");
      !encoding.empty() && encoding != "identity" && encoding != "aws-chunked")
    return failed(unsupported("the server sends it with Content-Encoding: {}", encoding));
  if (head.status == 200) {
    // The whole object, which is equally good if all of it was requested.
    const auto size = number(head.field("content-length"));
    if (range.offset == 0 && size && *size <= range.size) return settle(head, *size);
    may_be_folder_.store(true, std::memory_order_relaxed);
    size_without_ranges_.store(size.value_or(0), std::memory_order_relaxed);
    return failed(unsupported("the server does not support byte ranges: it sends the whole file"));
  }
  const auto sent = content_range(head.field("content-range"));
  if (!sent || sent->first != range.offset)
    return failed(unreadable("the server sends Content-Range: {}, expected bytes {}-{}",
                             head.field("content-range"), range.offset, range.offset + range.size - 1));
  const uint64_t wanted_last = std::min(range.offset + range.size, sent->size) - 1;
  Verdict verdict = settle(head, sent->size);
  if (verdict.kind == Verdict::take && sent->last != wanted_last)
    return failed(unreadable("the server sends bytes {}-{}, expected {}-{}", sent->first, sent->last,
                             range.offset, wanted_last));
  return verdict;
}

// Returns the error for a server that wants a password or a token.
Error RemoteObject::wants_login() const {
  const MutexLock lock(mutex_);
  return unreadable(
      "{} returned 401: it requires a password, which is read from ~/.netrc, or a token: -o header_file=FILE",
      redirected_to_.empty() ? "the server" : parse_url(redirected_to_).host_and_port());
}

Verdict RemoteObject::judge_refusal(const HttpHead& head, const std::string& error_body) {
  const std::string code = error_code_of(error_body);
  Error error = remote::refused(head.status, code, origin_->credential_source());
  if (head.status == 401 && origin_->follows_redirects()) error = wants_login();
  const bool is_known = version().has_value();
  switch (head.status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      // S3 sends this for a bucket in another region.
      return {head.field("location").empty() ? Verdict::refused : Verdict::redirect, error, {}};
    case 304: {
      const MutexLock lock(mutex_);
      const std::string& etag = head.field("etag");
      if (version_ || !expected_ || (!etag.empty() && etag != expected_->etag)) return failed(error);
      version_ = expected_;
      return {Verdict::take, {}, {}};
    }
    case 400:
    case 401:
    case 403:
      is_forbidden_.store(head.status == 403, std::memory_order_relaxed);
      may_be_folder_.store(true, std::memory_order_relaxed);
      return {Verdict::refused, error, {}};
    case 404:
    case 410:
      if (is_known) return has_changed();
      is_absent_.store(true, std::memory_order_relaxed);
      may_be_folder_.store(true, std::memory_order_relaxed);
      return failed(not_found("the server does not have this object"));
    case 412:
      return has_changed();
    case 416:
      if (is_known) return has_changed();
      // The object is empty: only then is there no first byte.
      if (head.field("content-range") != "bytes */0" && head.field("content-range") != "*/0")
        return failed(error);
      {
        const MutexLock lock(mutex_);
        version_ = Version{0, head.field("etag"), head.field("last-modified")};
      }
      return {Verdict::take, {}, {}};
    default:
      if (is_passing(head.status)) return {Verdict::again, error, pause_asked_by(head)};
      return failed(error);
  }
}

bool RemoteObject::follow(const std::string& url, const HttpHead& head) {
  if (!origin_->follows_redirects()) return origin_->learn_from(head, "");
  const Url from = parse_url(url), to = redirected(from, head.field("location"));
  const bool is_inside = is_private_host(from.host) || is_private_host(head.peer);
  if (!is_inside && is_private_host(to.host)) throw leads_inside(to.host, to.host);
  const MutexLock lock(mutex_);
  redirected_to_ = to.text();
  was_redirected_inside_ = is_inside;
  return true;
}

// The target of a redirect may be temporary, so the original location is requested again.
bool RemoteObject::renew(const std::string& url, const HttpHead& head, const std::string& error_body) {
  if (origin_->follows_redirects() && url != origin_->get(location_, {}).url) {
    const MutexLock lock(mutex_);
    if (redirected_to_ == url) redirected_to_.clear();
    return true;
  }
  return origin_->learn_from(head, error_code_of(error_body));
}

}  // namespace plainfs::remote
