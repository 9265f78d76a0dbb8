#include "formats/core/remote/origin.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <random>
#include <string_view>
#include <thread>

#include "cache/request.h"
#include "formats/core/base/error.h"
#include "formats/core/remote/host_fields.h"
#include "formats/core/remote/remote_object.h"
#include "formats/core/remote/url.h"
#include "formats/core/text/percent.h"

namespace plainfs::remote {

HttpRequest Origin::get_redirected(const std::string& url, std::vector<std::string> fields) {
  HttpRequest request;
  request.url = url;
  request.fields = std::move(fields);
  return request;
}

namespace {

using Clock = std::chrono::steady_clock;

void sleep_unless_cancelled(std::chrono::milliseconds pause) {
  for (const auto until = Clock::now() + pause; Clock::now() < until;) {
    check_cancelled();
    std::this_thread::sleep_for(std::min<Clock::duration>(kBetweenLooks, until - Clock::now()));
  }
}

}  // namespace

std::string answered(const std::function<HttpRequest()>& make, Origin& origin, HttpClient& client,
                     size_t max_bytes) {
  const auto begun = Clock::now();
  unsigned tries = 0, renewals = 0;
  for (;;) {
    HttpRequest request = make();
    const std::string url = request.url;
    HttpReply reply = client.ask(std::move(request), max_bytes);
    if (reply.is_too_long) throw unreadable("the server's reply is longer than {} bytes", max_bytes);
    if (reply.head.status != 0 && (reply.head.status < 400 || !is_passing(reply.head.status)))
      client.note_answer(url);
    const bool is_done = reply.head.status == 200 || reply.head.status == 201;  // 201: Azure's Put Blob
    if (is_done && reply.failure.empty()) return std::move(reply.body);
    const std::string code = error_code_of(reply.body);
    const Error error = reply.head.status == 0 || is_done
                            ? unreadable("{}", reply.failure)
                            : refused(reply.head.status, code, origin.credential_source());
    const bool is_refusal = reply.head.status >= 300 && reply.head.status < 404;
    if (is_refusal && renewals++ < kMaxRenewals && origin.learn_from(reply.head, code)) continue;
    const auto pause = std::max(pause_asked_by(reply.head), pause_after(++tries));
    if (is_refusal || !is_passing(reply.head.status) || tries >= max_attempts() ||
        (reply.head.status == 0 && client.has_given_up()) ||
        Clock::now() + pause > begun + client.patience(reply.is_refused)) {
      if (reply.head.status == 0) client.note_given_up();
      throw error;
    }
    client.note_retry(url, error.what(), tries);
    sleep_unless_cancelled(pause);
  }
}

namespace {

constexpr unsigned kMaxAttempts = 10;
constexpr int64_t kFirstBackoff = 50, kLongestBackoff = 20'000;  // milliseconds

}  // namespace

unsigned max_attempts() {
  const char* const set = std::getenv("AWS_MAX_ATTEMPTS");
  if (!set) return kMaxAttempts;
  const std::string_view text(set);
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? std::min(value, 100U)
                                                                               : kMaxAttempts;
}

std::chrono::milliseconds pause_after(unsigned attempts) {
  const int64_t most = std::min(kLongestBackoff, kFirstBackoff << std::min(attempts, 16U));
  thread_local std::minstd_rand random(std::random_device{}());
  return std::chrono::milliseconds(std::uniform_int_distribution<int64_t>(0, most)(random));
}

namespace {

// Returns "https://HOST/a/b" for "https://HOST/a/b/c"; a URL without a path unchanged.
std::string folder_of_url(const std::string& url) {
  const size_t host = url.find("://") + 3, slash = url.rfind('/');
  return slash < host ? url : url.substr(0, slash);
}

class HttpOrigin : public Origin {
 public:
  HttpOrigin(std::string base, const RemoteOptions& options)
      : base_(std::move(base)),
        folder_(folder_of_url(base_)),
        query_(options.query),
        host_fields_(parse_url(base_), options.header_file, process_environment()) {}

  std::string address(const std::string& location) const override {
    const std::string& known = location.starts_with(base_) ? base_ : folder_;
    if (!location.starts_with(known)) throw unreadable("{}: outside the store", location);
    std::string url = known + percent_encoded(std::string_view(location).substr(known.size()), true);
    if (!query_.empty()) url += "?" + query_;
    return parse_url(url).text();
  }

  HttpRequest get(const std::string& location, std::vector<std::string> fields) override {
    return get_redirected(address(location), std::move(fields));
  }

  HttpRequest get_redirected(const std::string& url, std::vector<std::string> fields) override {
    HttpRequest request = Origin::get_redirected(url, std::move(fields));
    const Url target = parse_url(url);
    std::vector<std::string> secrets = host_fields_.of(target);
    request.uses_netrc = secrets.empty() && host_fields_.may_use_netrc(target);
    request.fields.insert(request.fields.end(), secrets.begin(), secrets.end());
    request.keeps_cookies = true;
    return request;
  }

  bool follows_redirects() const override { return true; }
  bool learn_from(const HttpHead&, const std::string&) override { return false; }

 private:
  const std::string base_;
  const std::string folder_;
  const std::string query_;
  const HostFields host_fields_;
};

}  // namespace

std::unique_ptr<Origin> http_origin(std::string base, const RemoteOptions& options) {
  return std::make_unique<HttpOrigin>(std::move(base), options);
}

}  // namespace plainfs::remote
