#include "formats/core/remote/http_client.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "cache/mutex.h"
#include "cache/request.h"
#include "formats/core/base/error.h"
#include "formats/core/remote/certificates.h"
#include "formats/core/remote/origin.h"
#include "formats/core/remote/url.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/trimmed.h"

namespace plainfs::remote {
namespace {

constexpr long kMaxConnectionsAHost = 16;
constexpr long kMaxConnections = 32;
// A transfer that is slower than this for kSlowSeconds, or for the client's patience, has failed.
constexpr long kLeastBytesASecond = 1024;
constexpr long kSlowSeconds = 30;
constexpr long kBufferBytes = 512 << 10;
// Cookies kept at most, about; then all are discarded, and a login starts again.
constexpr size_t kMaxCookies = 1000;
constexpr int kPollMilliseconds = 1000;
constexpr std::chrono::milliseconds kBetweenTries{50};
constexpr int64_t kBetweenLogged = 60;  // seconds between log lines about a server that is busy at times
// The header fields of a reply, those after the body included, may take this many bytes. Without an end they
// would fill the memory, since libcurl keeps them.
constexpr size_t kMaxFieldBytes = 256 << 10;
// A server that is restarted accepts connections again after this time.
constexpr std::chrono::seconds kRefusedPatience{10};

struct Transfer {
  HttpRequest request;
  std::shared_ptr<HttpSink> sink;
  HttpHead head;
  bool is_head_done = false;
  bool is_direct = false;    // no proxy resolves the server's name
  std::string refused;       // an address to which it must not connect
  bool was_allowed = false;  // an allowed address was tried
  size_t field_bytes = 0;
  size_t cookies = 0;   // that the reply sets
  std::string endless;  // why the header fields are refused
  std::unique_ptr<CURL, void (*)(CURL*)> easy{curl_easy_init(), curl_easy_cleanup};
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> fields{nullptr, curl_slist_free_all};
  char error[CURL_ERROR_SIZE] = "";
};

// Calls a function from a callback of libcurl, which must not throw: if memory is exhausted, the transfer
// fails.
template <class Call>
size_t guarded(const Call& call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

std::string address_of_peer(const Transfer& transfer) {
  const char* address = nullptr;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_PRIMARY_IP, &address);
  return address ? address : "";
}

// Returns false to end the transfer.
bool begin_body(Transfer& transfer) {
  if (transfer.is_direct) transfer.head.peer = address_of_peer(transfer);
  // An open connection may have been made for another request.
  if (transfer.request.stays_public && is_private_host(transfer.head.peer)) {
    transfer.refused = transfer.head.peer;
    transfer.was_allowed = false;
    return false;
  }
  transfer.is_head_done = true;
  transfer.sink->begin(transfer.head);
  return true;
}

// Returns false if the header fields are too large.
bool fields_may_go_on(Transfer& transfer, size_t more) {
  transfer.field_bytes += more;
  if (transfer.field_bytes > kMaxFieldBytes)
    transfer.endless = fmt::format("the header fields of the reply have more than {} bytes", kMaxFieldBytes);
  return transfer.endless.empty();
}

// Returns false to end the transfer.
bool take_field(Transfer& transfer, std::string_view line) {
  const size_t colon = line.find(':');
  if (line.starts_with("HTTP/")) {
    transfer.head = {};
  } else if (line.empty()) {
    curl_easy_getinfo(transfer.easy.get(), CURLINFO_RESPONSE_CODE, &transfer.head.status);
    if (transfer.head.status >= 200 && !transfer.is_head_done) return begin_body(transfer);
  } else if (colon != std::string_view::npos) {
    const std::string name = lower_case(line.substr(0, colon));
    if (name == "set-cookie") ++transfer.cookies;
    transfer.head.fields[name] = trimmed(line.substr(colon + 1));
  }
  return true;
}

size_t on_field(char* bytes, size_t size, size_t count, void* to) {
  return guarded([&] {
    Transfer& transfer = *static_cast<Transfer*>(to);
    if (!fields_may_go_on(transfer, size * count)) return size_t{0};
    return take_field(transfer, trimmed({bytes, size * count})) ? size * count : 0;
  });
}

size_t on_bytes(char* bytes, size_t size, size_t count, void* to) {
  HttpSink& sink = *static_cast<Transfer*>(to)->sink;
  const ByteSpan span(reinterpret_cast<const std::byte*>(bytes), size * count);
  return guarded([&] { return sink.take(span) ? span.size() : 0; });
}

int on_progress(void* to, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Transfer*>(to)->sink->is_wanted() ? 0 : 1;
}

// Returns "" unless the address is of IPv4 or IPv6.
std::string text_of(const sockaddr& address) {
  const void* bytes = nullptr;
  if (address.sa_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(&address)->sin_addr;
  if (address.sa_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr;
  char text[INET6_ADDRSTRLEN] = "";
  if (bytes) ::inet_ntop(address.sa_family, bytes, text, sizeof text);
  return text;
}

// Called for each address of the server. After a refusal libcurl may try another one.
curl_socket_t on_connect(void* to, curlsocktype, curl_sockaddr* address) {
  Transfer& transfer = *static_cast<Transfer*>(to);
  const bool is_allowed = guarded([&] {
    const std::string text = text_of(address->addr);
    if (!text.empty() && !is_private_host(text)) return 1;
    transfer.refused = text.empty() ? "an address of another family" : text;
    return 0;
  });
  if (!is_allowed) return CURL_SOCKET_BAD;
  transfer.was_allowed = true;
  const int generated = ::socket(address->family, address->socktype, address->protocol);
  if (generated >= 0) ::fcntl(generated, F_SETFD, FD_CLOEXEC);
  return generated;
}

bool is_direct(const HttpRequest& request) {
  return request.past_proxies || !goes_by_proxy(parse_url(request.url), [](const std::string& name) {
           const char* const value = std::getenv(name.c_str());
           return std::string(value ? value : "");
         });
}

// Sets the options of a transfer. patience: in seconds, at least one. Throws bad_alloc: a request that lost a
// field would be a different one.
void prepare(Transfer& transfer, long patience) {
  CURL* const easy = transfer.easy.get();
  const HttpRequest& request = transfer.request;
  for (const std::string& field : request.fields) {
    curl_slist* const longer = curl_slist_append(transfer.fields.get(), field.c_str());
    if (!longer) throw std::bad_alloc();
    transfer.fields.release();
    transfer.fields.reset(longer);
  }
  if (curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str()) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.fields.get());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.error);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  // One connection for each concurrent request.
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_NETRC, request.uses_netrc ? CURL_NETRC_OPTIONAL : CURL_NETRC_IGNORED);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, kBufferBytes);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "plainfs");
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, std::min(request.connect_seconds, patience));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT, request.max_seconds);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, kLeastBytesASecond);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, std::min(kSlowSeconds, patience));
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_field);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &transfer);
  if (request.stays_public && transfer.is_direct) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_connect);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &transfer);
  }
  if (request.past_proxies) curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  if (const std::string file = certificate_file(); !file.empty())
    curl_easy_setopt(easy, CURLOPT_CAINFO, file.c_str());
  if (const std::string folder = certificate_folder(); !folder.empty())
    curl_easy_setopt(easy, CURLOPT_CAPATH, folder.c_str());
  if (request.method == "GET") return;
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.c_str());
}

// Returns advice on an error, "; ...", or "" if none is known.
std::string_view hint_of(CURLcode code, const Url& url, std::string_view text) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return url.host.ends_with(".amazonaws.com") ? "; for a service other than AWS: -o endpoint=URL" : "";
    case CURLE_SSL_CONNECT_ERROR:
      return text.find("wrong version number") != text.npos || text.find("packet") != text.npos
                 ? "; the server speaks http://, not https://"
                 : "";
    case CURLE_GOT_NOTHING:
      return url.scheme == "http" ? "; the server may speak https://" : "";
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return "; to trust the server's certificate: CURL_CA_BUNDLE=FILE in the environment";
    default:
      return "";
  }
}

// Returns whether the same request would fail again.
bool is_for_good(CURLcode code, std::string_view hint) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         (code == CURLE_SSL_CONNECT_ERROR && !hint.empty());
}

HttpFailure failure_of(const Transfer& transfer, CURLcode code) {
  if (code == CURLE_OK) return {transfer.is_head_done ? "" : "no reply", {}, false};
  if (!transfer.refused.empty() && !transfer.was_allowed) {
    const Error error = leads_inside(parse_url(transfer.request.url).host, transfer.refused);
    return {error.what(), error, false};
  }
  if (!transfer.endless.empty()) return {transfer.endless, unreadable("{}", transfer.endless), false};
  std::string text = transfer.error[0] != '\0' ? transfer.error : curl_easy_strerror(code);
  // libcurl reports a line of more than 100 KiB like this: as lack of memory before 8.6.
  constexpr int kTooLarge = 100;  // CURLE_TOO_LARGE, which older headers do not have
  if (static_cast<int>(code) == kTooLarge && !transfer.is_head_done)
    text = "a header field of the reply has more than 100 KiB";
  if (code == CURLE_OUT_OF_MEMORY && !transfer.is_head_done)
    text = "out of memory, or a header field of the reply has more than 100 KiB";
  const std::string_view hint = hint_of(code, parse_url(transfer.request.url), text);
  text += hint;
  const bool is_final = is_for_good(code, hint);
  const Error error = unreadable("{}", text);
  return {std::move(text), is_final ? std::optional(error) : std::nullopt, code == CURLE_COULDNT_CONNECT};
}

// A sink that keeps a whole reply for the waiting thread.
class KeepingSink : public HttpSink {
 public:
  explicit KeepingSink(size_t max_bytes) : max_bytes_(max_bytes) {}
  bool is_wanted() const override {
    const MutexLock lock(mutex_);
    return is_wanted_;
  }
  void begin(const HttpHead& head) override { reply_.head = head; }
  bool take(ByteSpan bytes) override {
    reply_.is_too_long = bytes.size() > max_bytes_ - reply_.body.size();
    if (reply_.is_too_long) return false;
    reply_.body += as_text(bytes);
    return true;
  }
  void end(const HttpFailure& failure) override {
    const MutexLock lock(mutex_);
    reply_.failure = failure.text;
    reply_.is_refused = failure.is_refused;
    is_done_ = true;
    done_.notify_all();
  }

  HttpReply wait() {
    const MutexLock lock(mutex_);
    while (!is_done_) {
      if (done_.wait_for(mutex_, kBetweenLooks)) continue;
      try {
        check_cancelled();
      } catch (...) {
        is_wanted_ = false;
        throw;
      }
    }
    return std::move(reply_);
  }

 private:
  const size_t max_bytes_;
  mutable Mutex mutex_;
  Condition done_;
  bool is_wanted_ GUARDED_BY(mutex_) = true;
  bool is_done_ GUARDED_BY(mutex_) = false;
  HttpReply reply_;  // owned by the client's thread until is_done_
};

}  // namespace

const std::string& HttpHead::field(const std::string& name) const {
  static const std::string none;
  const auto found = fields.find(name);
  return found == fields.end() ? none : found->second;
}

struct HttpClient::State {
  State() {
    static const CURLcode begun = curl_global_init(CURL_GLOBAL_DEFAULT);
    (void)begun;
    multi = curl_multi_init();
    cookies = curl_share_init();
    curl_share_setopt(cookies, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, kMaxConnectionsAHost);
    curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, kMaxConnections);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, kMaxConnections);
  }
  ~State() {
    curl_multi_cleanup(multi);
    curl_share_cleanup(cookies);
  }

  CURLM* multi;
  CURLSH* cookies;          // used by the thread only, so it needs no lock
  size_t cookie_count = 0;  // set since they were discarded; used by the thread only
  Mutex mutex;
  std::vector<std::unique_ptr<Transfer>> queue GUARDED_BY(mutex);
  bool is_ending GUARDED_BY(mutex) = false;
  std::thread thread;                              // started under the mutex, ended by the destructor only
  std::vector<std::unique_ptr<Transfer>> running;  // used by the thread only

  void run();
  bool begin_queued();
  void use_cookies(CURL* easy);
  void end_done();
  void end(CURL* easy, CURLcode code);
};

void HttpClient::State::use_cookies(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_SHARE, cookies);
  curl_easy_setopt(easy, CURLOPT_COOKIEFILE, "");  // in memory
  if (cookie_count < kMaxCookies) return;
  curl_easy_setopt(easy, CURLOPT_COOKIELIST, "ALL");
  cookie_count = 0;
}

// Returns false when the client ends.
bool HttpClient::State::begin_queued() {
  std::vector<std::unique_ptr<Transfer>> begun;
  try {
    const MutexLock lock(mutex);
    if (is_ending) return false;
    running.reserve(running.size() + queue.size());
    begun.swap(queue);
  } catch (const std::bad_alloc&) {
    return true;  // the transfers stay in the queue
  }
  for (auto& transfer : begun) {
    CURL* const easy = transfer->easy.get();
    if (transfer->request.keeps_cookies) use_cookies(easy);
    running.push_back(std::move(transfer));
    if (curl_multi_add_handle(multi, easy) != CURLM_OK) end(easy, CURLE_OUT_OF_MEMORY);
  }
  return true;
}

void HttpClient::State::end(CURL* easy, CURLcode code) {
  const auto found = std::find_if(running.begin(), running.end(),
                                  [&](const auto& transfer) { return transfer->easy.get() == easy; });
  if (found == running.end()) return;
  curl_multi_remove_handle(multi, easy);
  const std::unique_ptr<Transfer> transfer = std::move(*found);
  running.erase(found);
  cookie_count += transfer->cookies;
  for (;;) {
    try {
      return transfer->sink->end(failure_of(*transfer, code));
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(kBetweenTries);  // the sink must get its end()
    }
  }
}

void HttpClient::State::end_done() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi, &left))
    if (message->msg == CURLMSG_DONE) end(message->easy_handle, message->data.result);
}

void HttpClient::State::run() {
  while (begin_queued()) {
    int active = 0;
    curl_multi_perform(multi, &active);
    end_done();
    curl_multi_poll(multi, nullptr, 0, kPollMilliseconds, nullptr);
  }
  while (!running.empty()) end(running.back()->easy.get(), CURLE_ABORTED_BY_CALLBACK);
}

HttpClient::HttpClient(RemoteCounters& counters, std::chrono::seconds patience)
    : counters_(counters), patience_(patience), state_(std::make_unique<State>()) {}

HttpClient::~HttpClient() {
  {
    const MutexLock lock(state_->mutex);
    state_->is_ending = true;
  }
  curl_multi_wakeup(state_->multi);
  if (state_->thread.joinable()) state_->thread.join();
  for (const auto& transfer : state_->queue) transfer->sink->end({"the program is ending", {}, false});
}

void HttpClient::start(HttpRequest request, std::shared_ptr<HttpSink> sink) {
  auto transfer = std::make_unique<Transfer>();
  if (!transfer->easy) throw std::bad_alloc();
  transfer->request = std::move(request);
  transfer->sink = std::move(sink);
  transfer->is_direct = is_direct(transfer->request);
  prepare(*transfer, std::max(1L, static_cast<long>(patience_.count())));
  counters_.requests.fetch_add(1, std::memory_order_relaxed);
  try {
    const MutexLock lock(state_->mutex);
    if (!state_->thread.joinable()) state_->thread = std::thread([state = state_.get()] { state->run(); });
    state_->queue.push_back(std::move(transfer));
  } catch (const std::system_error& error) {
    throw unreadable("cannot start a thread for requests: {}", error.what());
  }
  curl_multi_wakeup(state_->multi);
}

HttpReply HttpClient::ask(HttpRequest request, size_t max_bytes) {
  const auto sink = std::make_shared<KeepingSink>(max_bytes);
  start(std::move(request), sink);
  HttpReply reply = sink->wait();
  counters_.bytes_fetched.fetch_add(reply.body.size(), std::memory_order_relaxed);
  return reply;
}

std::chrono::seconds HttpClient::patience(bool is_refused) const {
  return is_refused ? std::min(patience_, kRefusedPatience) : patience_;
}

void HttpClient::note_retry(const std::string& url, const std::string& why, unsigned tries) {
  counters_.retries.fetch_add(1, std::memory_order_relaxed);
  if (counters_.is_waiting.exchange(true, std::memory_order_relaxed) || !counters_.log) return;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const int64_t second = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  if (second < logged_at_.load(std::memory_order_relaxed) + kBetweenLogged) return;
  logged_at_.store(second, std::memory_order_relaxed);
  is_logged_.store(true, std::memory_order_relaxed);
  counters_.log(fmt::format("{}: {}; trying again ({} of {})", parse_url(url).host_and_port(), why, tries + 1,
                            max_attempts()));
}

void HttpClient::note_answer(const std::string& url) {
  has_given_up_.store(false, std::memory_order_relaxed);
  if (!counters_.is_waiting.load(std::memory_order_relaxed)) return;
  counters_.is_waiting.store(false, std::memory_order_relaxed);
  if (is_logged_.exchange(false, std::memory_order_relaxed))
    counters_.log(parse_url(url).host_and_port() + ": replies again");
}

std::string http_library_version() {
  return curl_version_info(CURLVERSION_NOW)->version;
}

}  // namespace plainfs::remote
