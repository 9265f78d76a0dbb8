#include "fs/serve/http/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <vector>

namespace plainfs::serve {
namespace {

constexpr size_t kReadAtOnce = 16 * 1024;
constexpr size_t kMaxParts = 1024;  // IOV_MAX
// Milliseconds between two checks that the client is still there.
constexpr int64_t kBetweenLooks = 5;
// Milliseconds for the client to read the last reply, and the bytes it may send meanwhile, which are read and
// discarded.
constexpr int kToClose = 1'000;
constexpr size_t kMaxToClose = 1 << 20;
#ifdef POLLRDHUP
constexpr short kHasLeft = POLLRDHUP | POLLHUP | POLLERR;
#else
constexpr short kHasLeft = POLLHUP | POLLERR;
#endif
#ifdef MSG_NOSIGNAL
constexpr int kSendFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
#else
constexpr int kSendFlags = MSG_DONTWAIT;
#endif

}  // namespace

int64_t milliseconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

Connection::Connection(Descriptor socket, Patience patience, const std::atomic<bool>& is_over)
    : socket_(std::move(socket)), patience_(patience), is_over_(is_over), since_(milliseconds_now()) {
  // Otherwise the last part of each reply waits until the part before it is acknowledged.
  const int yes = 1;
  ::setsockopt(socket_.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
#ifdef SO_NOSIGPIPE
  ::setsockopt(socket_.number(), SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
}

Connection::~Connection() = default;

void Connection::set(State state) {
  since_.store(milliseconds_now(), std::memory_order_relaxed);
  state_.store(state, std::memory_order_relaxed);
}

void Connection::end() noexcept {
  ::shutdown(socket_.number(), SHUT_RDWR);
}

bool Connection::cancelled() const {
  if (is_over_.load(std::memory_order_relaxed)) return true;
  const int64_t now = milliseconds_now();
  if (now - looked_at_.load(std::memory_order_relaxed) < kBetweenLooks)
    return has_left_.load(std::memory_order_relaxed);
  looked_at_.store(now, std::memory_order_relaxed);
  pollfd socket{socket_.number(), kHasLeft, 0};
  bool has_left = ::poll(&socket, 1, 0) == 1 && (socket.revents & kHasLeft) != 0;
#ifndef POLLRDHUP
  char byte = 0;
  has_left = has_left || ::recv(socket_.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
#endif
  if (has_left) has_left_.store(true, std::memory_order_relaxed);
  return has_left_.load(std::memory_order_relaxed);
}

// Returns false if no event came before the deadline.
bool Connection::wait_for(short events, int64_t deadline) const {
  for (;;) {
    if (is_over_.load(std::memory_order_relaxed)) throw Lost();
    const int64_t left = deadline - milliseconds_now();
    if (left <= 0) return false;
    pollfd socket{socket_.number(), events, 0};
    const int ready = ::poll(&socket, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) throw Lost();
  }
}

// Returns false if no data came before the deadline.
bool Connection::read_some(RequestReader& reader, int64_t deadline) {
  char bytes[kReadAtOnce];
  for (;;) {
    if (!wait_for(POLLIN, deadline)) return false;
    const ssize_t got = ::recv(socket_.number(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0) {
      reader.add({bytes, static_cast<size_t>(got)});
      return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) throw Lost();
  }
}

// Returns nullopt if the client sends no more requests.
std::optional<HttpRequest> Connection::next_request(RequestReader& reader) {
  std::optional<HttpRequest> request = reader.next();
  if (request) return request;
  if (!reader.has_begun()) {
    if (!is_first_) set(State::kIdle);
    if (!read_some(reader, milliseconds_now() + patience_.between_requests)) return std::nullopt;
  }
  is_first_ = false;
  set(State::kReading);
  for (const int64_t deadline = milliseconds_now() + patience_.request;;) {
    request = reader.next();
    if (request) return request;
    if (!read_some(reader, deadline)) throw BadRequest{408};
  }
}

void Connection::send(const Slices& bytes) {
  set(State::kSending);
  std::vector<iovec> parts = bytes.parts;
  for (size_t next = 0; next < parts.size();) {
    msghdr message{};
    message.msg_iov = &parts[next];
    message.msg_iovlen = std::min(parts.size() - next, kMaxParts);
    const ssize_t sent = ::sendmsg(socket_.number(), &message, kSendFlags);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) throw Lost();
    if (sent < 0) {
      if (!wait_for(POLLOUT, milliseconds_now() + patience_.reading)) throw Lost();
      continue;
    }
    set(State::kSending);
    for (auto left = static_cast<size_t>(sent); left > 0 && next < parts.size();) {
      const size_t taken = std::min(left, parts[next].iov_len);
      parts[next].iov_base = static_cast<char*>(parts[next].iov_base) + taken;
      parts[next].iov_len -= taken;
      left -= taken;
      if (parts[next].iov_len == 0) ++next;
    }
  }
  set(State::kAnswering);
}

// Makes the other side see an error instead of an end, whatever it has read.
void Connection::break_off() {
  const linger at_once{1, 0};
  ::setsockopt(socket_.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

// Reads the remaining input: closing a socket with unread data discards the reply.
void Connection::close_slowly() {
  ::shutdown(socket_.number(), SHUT_WR);
  char bytes[kReadAtOnce];
  size_t read = 0;
  for (const int64_t deadline = milliseconds_now() + kToClose; read < kMaxToClose;) {
    if (!wait_for(POLLIN, deadline)) return;
    const ssize_t got = ::recv(socket_.number(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
    if (got > 0) read += static_cast<size_t>(got);
  }
}

// Returns whether another request may follow.
bool Connection::answer_next(const Handler& handler, RequestReader& reader, std::atomic<uint64_t>& answered) {
  std::optional<HttpRequest> request;
  try {
    request = next_request(reader);
  } catch (const BadRequest& bad) {
    set(State::kAnswering);
    handler.refuse(bad.status, *this);
    close_slowly();
    return false;
  }
  if (!request) return false;
  set(State::kAnswering);
  looked_at_.store(milliseconds_now(), std::memory_order_relaxed);
  const Request::Scope scope(this);
  const bool goes_on = handler.answer(*request, *this);
  answered.fetch_add(1, std::memory_order_relaxed);
  if (!goes_on) close_slowly();
  return goes_on;
}

void Connection::serve(const Handler& handler, std::atomic<uint64_t>& answered) noexcept {
  try {
    RequestReader reader;
    while (answer_next(handler, reader, answered)) {
    }
  } catch (const Lost&) {
  } catch (...) {
    break_off();
  }
}

void Connection::refuse(const Handler& handler, int status) noexcept {
  try {
    handler.refuse(status, *this);
    ::shutdown(socket_.number(), SHUT_WR);
  } catch (...) {
    break_off();
  }
}

}  // namespace plainfs::serve
