// Requests over HTTP, any number of them at once: one thread of libcurl's multi interface moves the bytes of
// all, over connections that stay open. Nothing is followed, retried or judged here.
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
  bool uses_netrc = false;          // the passwords of ~/.netrc: of the store's own host alone
  bool past_proxies = false;        // for what is only on this machine or its host
  bool stays_public = false;        // connects to no address of a private network (url.h)
  long most_seconds = 0;            // 0: as long as bytes come
  long connect_seconds = 15;
};

struct HttpHead {
  long status = 0;
  std::map<std::string, std::string> fields;  // names in lower case; the last of each
  std::string peer = "";                      // the server's address; "" where a proxy found the server

  // "" where there is none.
  const std::string& field(const std::string& name) const;
};

// Why a reply is not whole.
struct HttpFailure {
  std::string text;               // "" where it is whole
  std::optional<Error> is_final;  // where it must not be asked for again
  bool is_refused = false;        // no server listens there
};

// Where a reply goes. All calls but is_wanted come from the client's thread, one after the other; they throw
// nothing but bad_alloc and do not wait.
class HttpSink {
 public:
  virtual ~HttpSink() = default;
  // From any thread: false ends the transfer soon.
  virtual bool is_wanted() const = 0;
  virtual void begin(const HttpHead& head) = 0;
  // false ends the transfer.
  virtual bool take(ByteSpan bytes) = 0;
  // The last call, and always made; again where it has thrown.
  virtual void end(const HttpFailure& failure) = 0;
};

struct HttpReply {
  HttpHead head;  // status 0 where none came
  std::string body;
  std::string failure;      // why it is not whole
  bool is_refused = false;  // as HttpFailure's
  bool is_too_long = false;
};

// Thread-safe.
class HttpClient {
 public:
  // counters: outlives this. patience: how long a request without progress is made again, all attempts
  // together.
  explicit HttpClient(RemoteCounters& counters, std::chrono::seconds patience = std::chrono::seconds(120));
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Returns at once.
  void start(HttpRequest request, std::shared_ptr<HttpSink> sink);
  // Waits for the reply, whose body may have at most_bytes; throws Cancelled where the calling thread's
  // request is cancelled meanwhile (cache/request.h).
  HttpReply ask(HttpRequest request, size_t most_bytes = size_t{64} << 20);

  RemoteCounters& counters() { return counters_; }

  // How long a request that failed so is made again: not as long where no server listens.
  std::chrono::seconds patience(bool is_refused) const;
  // Of a request that is made again after tries attempts, because of why: counted, and told where it is the
  // first since one was answered, once a minute at most.
  void note_retry(const std::string& url, const std::string& why, unsigned tries);
  // An attempt was the last, without a reply. Until a request is answered again, each is made once.
  void note_given_up() { has_given_up_.store(true, std::memory_order_relaxed); }
  bool has_given_up() const { return has_given_up_.load(std::memory_order_relaxed); }
  void note_answer(const std::string& url);

 private:
  struct State;
  RemoteCounters& counters_;
  const std::chrono::seconds patience_;
  // Relaxed, all three: nothing else is told by them.
  std::atomic<bool> has_given_up_{false};
  std::atomic<bool> is_told_{false};          // that it does not answer
  std::atomic<int64_t> told_at_{-1'000'000};  // seconds
  std::unique_ptr<State> state_;
};

// "7.88.1"
std::string http_library_version();

}  // namespace plainfs::remote
