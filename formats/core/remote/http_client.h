// HTTP requests, any number of them at once. One thread runs libcurl's multi interface and transfers the
// bytes of all requests over connections that stay open. Redirects, retries and errors are the caller's task.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/base/error.h"
#include "formats/core/remote/remote_options.h"

namespace plainfs::remote {

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> fields;  // "name: value"
  std::string body;                 // of POST and PUT
  bool uses_netrc = false;          // use the password of ~/.netrc for its host
  bool keeps_cookies = false;       // keep the cookies of the reply, and send those of such requests
  bool past_proxies = false;        // bypass proxies; for servers on this machine or its host
  bool stays_public = false;        // never connect to an address of a private network (url.h)
  long max_seconds = 0;             // 0: no limit while bytes arrive
  long connect_seconds = 15;
};

struct HttpHead {
  long status = 0;
  std::map<std::string, std::string> fields;  // names in lower case; the last field of each name
  std::string peer = "";                      // the server's address; "" if a proxy resolved it

  // Returns the field, or "".
  const std::string& field(const std::string& name) const;
};

// The reason why a reply is incomplete.
struct HttpFailure {
  std::string text;               // "" if the reply is complete
  std::optional<Error> is_final;  // set if the request must not be repeated
  bool is_refused = false;        // no server accepts connections there
};

// The receiver of a reply. The client's thread makes all calls except is_wanted, one after the other. They do
// not wait, and throw nothing but bad_alloc.
class HttpSink {
 public:
  virtual ~HttpSink() = default;
  // Returns whether the reply is still needed; false ends the transfer soon. Thread-safe.
  virtual bool is_wanted() const = 0;
  virtual void begin(const HttpHead& head) = 0;
  // Takes bytes of the body. Returns false to end the transfer.
  virtual bool take(ByteSpan bytes) = 0;
  // Reports the end of the transfer. Always the last call; repeated if it throws.
  virtual void end(const HttpFailure& failure) = 0;
};

struct HttpReply {
  HttpHead head;  // status 0 if no reply came
  std::string body;
  std::string failure;      // why it is incomplete
  bool is_refused = false;  // see HttpFailure
  bool is_too_long = false;
};

// An HTTP client. Thread-safe.
class HttpClient {
 public:
  // counters: must outlive the client. patience: how long a request without progress is retried, all attempts
  // together.
  explicit HttpClient(RemoteCounters& counters, std::chrono::seconds patience = std::chrono::seconds(120));
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Starts a request. Returns at once.
  void start(HttpRequest request, std::shared_ptr<HttpSink> sink);
  // Waits for the reply and returns it; its body may have at most `max_bytes`. Throws Cancelled if the
  // calling thread's request is cancelled meanwhile (cache/request.h).
  HttpReply ask(HttpRequest request, size_t max_bytes = size_t{64} << 20);

  RemoteCounters& counters() { return counters_; }

  // Returns how long to retry a request that failed. Shorter if no server accepts connections.
  std::chrono::seconds patience(bool is_refused) const;
  // Counts a request that is repeated after `tries` attempts because of `why`. Logs the first one since a
  // request was answered, at most once a minute.
  void note_retry(const std::string& url, const std::string& why, unsigned tries);
  // Records that the last attempt of a request got no reply. Until a request is answered again, each request
  // gets one attempt.
  void note_given_up() { has_given_up_.store(true, std::memory_order_relaxed); }
  bool has_given_up() const { return has_given_up_.load(std::memory_order_relaxed); }
  void note_answer(const std::string& url);

 private:
  struct State;
  RemoteCounters& counters_;
  const std::chrono::seconds patience_;
  // All three are relaxed: other data do not depend on them.
  std::atomic<bool> has_given_up_{false};
  std::atomic<bool> is_logged_{false};          // that the server does not answer
  std::atomic<int64_t> logged_at_{-1'000'000};  // in seconds
  std::unique_ptr<State> state_;
};

// Returns libcurl's version, for example "7.88.1".
std::string http_library_version();

}  // namespace plainfs::remote
