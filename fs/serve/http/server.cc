#include "fs/serve/http/server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "fs/daemon/signal_pipe.h"

namespace plainfs::serve {
namespace {

constexpr int kLook = 250;        // milliseconds between two checks of refused connections
constexpr int kIdleEnough = 250;  // milliseconds after which an idle client is assumed to be done
constexpr int kToReadRefusal = 2'000;
constexpr size_t kMaxRefused = 256;
constexpr int kLookForWaiting = 10;  // milliseconds between two checks for a connection that has ended
constexpr size_t kMaxWaiting = 1024;

Descriptor accepted(int listening) {
#ifdef __linux__
  return Descriptor(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
#else
  Descriptor socket(::accept(listening, nullptr, nullptr));
  ::fcntl(socket.number(), F_SETFD, FD_CLOEXEC);
  ::fcntl(socket.number(), F_SETFL, O_NONBLOCK);
  return socket;
#endif
}

}  // namespace

struct Server::Served {
  Served(Descriptor socket, Patience patience, const std::atomic<bool>& server_is_over)
      : connection(std::move(socket), patience, server_is_over) {}

  Connection connection;
  bool makes_room = false;
  std::atomic<bool> is_over{false};
  std::thread thread;
};

Server::Server(std::vector<Descriptor> listening, Handler handler, ServerSettings settings)
    : listening_(std::move(listening)), handler_(std::move(handler)), settings_(settings) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category());
  wake_reading_ = Descriptor(ends[0]);
  wake_writing_ = Descriptor(ends[1]);
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  thread_ = std::thread([this] { run(); });
}

Server::~Server() {
  is_over_.store(true, std::memory_order_relaxed);
  const ssize_t written = ::write(wake_writing_.number(), "", 1);
  static_cast<void>(written);
  thread_.join();
  std::list<std::unique_ptr<Served>> left;
  {
    const MutexLock lock(mutex_);
    for (const auto& served : served_) served->connection.end();
    left.swap(served_);  // no more connections are accepted
  }
  for (const auto& served : left) served->thread.join();
}

size_t Server::connections() const {
  const MutexLock lock(mutex_);
  return static_cast<size_t>(std::count_if(served_.begin(), served_.end(), [](const auto& served) {
    return !served->is_over.load(std::memory_order_acquire);
  }));
}

void Server::run() noexcept {
  leave_signals_to_others();
  std::vector<bool> ready;
  while (!is_over_.load(std::memory_order_relaxed)) {
    wait(ready);
    for (size_t i = 0; i < listening_.size(); ++i)
      if (ready[i]) accept_from(listening_[i].number());
    start_waiting();
    look_at_refused();
  }
}

void Server::wait(std::vector<bool>& ready) {
  std::vector<pollfd> all{{wake_reading_.number(), POLLIN, 0}};
  for (const Descriptor& socket : listening_) all.push_back({socket.number(), POLLIN, 0});
  const int longest = !waiting_.empty() ? kLookForWaiting : !refused_.empty() ? kLook : -1;
  ::poll(all.data(), static_cast<nfds_t>(all.size()), longest);
  ready.assign(listening_.size(), false);
  for (size_t i = 0; i < listening_.size(); ++i) ready[i] = all[i + 1].revents != 0;
}

void Server::accept_from(int listening) {
  Descriptor socket = accepted(listening);
  if (socket.number() >= 0) return take(std::move(socket));
  // Out of descriptors or memory: wait for existing connections to end.
  if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return;
  pollfd wake{wake_reading_.number(), POLLIN, 0};
  ::poll(&wake, 1, kLook);
}

void Server::take(Descriptor socket) {
  const MutexLock lock(mutex_);
  reap();
  if (waiting_.empty() && make_room()) return start(std::move(socket));
  if (settings_.waiting == 0 || waiting_.size() == kMaxWaiting) return refuse(std::move(socket));
  waiting_.push_back({std::move(socket), milliseconds_now() + settings_.waiting});
}

// Starts the connections that wait as others end.
void Server::start_waiting() {
  if (waiting_.empty()) return;
  const MutexLock lock(mutex_);
  reap();
  while (!waiting_.empty() && make_room()) {
    start(std::move(waiting_.front().socket));
    waiting_.pop_front();
  }
  while (!waiting_.empty() && waiting_.front().deadline < milliseconds_now()) {
    refuse(std::move(waiting_.front().socket));
    waiting_.pop_front();
  }
}

void Server::start(Descriptor socket) {
  served_.push_back(std::make_unique<Served>(std::move(socket), settings_.patience, is_over_));
  Served& served = *served_.back();
  try {
    served.thread = std::thread([this, &served] {
      leave_signals_to_others();
      served.connection.serve(handler_, answered_);
      {
        const MutexLock closing(mutex_);  // other threads end a connection to make room
        served.connection.close();
      }
      served.is_over.store(true, std::memory_order_release);
    });
  } catch (const std::system_error&) {
    Descriptor refused = served.connection.take_socket();
    served_.pop_back();
    refuse(std::move(refused));
  }
}

// Removes the connections that have ended.
void Server::reap() {
  std::erase_if(served_, [](const std::unique_ptr<Served>& served) {
    if (!served->is_over.load(std::memory_order_acquire)) return false;
    served->thread.join();
    return true;
  });
}

bool Server::make_room() {
  using State = Connection::State;
  const auto taken = static_cast<size_t>(
      std::count_if(served_.begin(), served_.end(), [](const auto& served) { return !served->makes_room; }));
  if (taken < settings_.max_connections) return true;
  const int64_t now = milliseconds_now();
  Served* longest = nullptr;
  int64_t waited = -1;
  const std::pair<State, int> enough[] = {{State::kIdle, kIdleEnough},
                                          {State::kReading, settings_.stuck_asking},
                                          {State::kSending, settings_.stuck_taking}};
  for (const auto& [wanted, least] : enough) {
    for (const auto& served : served_) {
      const int64_t so_long = served->connection.waited(now);
      const bool is_wanted = !served->makes_room && served->connection.state() == wanted && so_long >= least;
      if (!is_wanted || so_long <= waited) continue;
      longest = served.get();
      waited = so_long;
    }
    if (longest) break;
  }
  if (!longest) return false;
  longest->makes_room = true;
  longest->connection.end();
  return true;
}

void Server::refuse(Descriptor socket) {
  Connection connection(std::move(socket), settings_.patience, is_over_);
  connection.refuse(handler_, 503);
  if (refused_.size() < kMaxRefused)
    refused_.push_back({connection.take_socket(), milliseconds_now() + kToReadRefusal});
}

void Server::look_at_refused() {
  const int64_t now = milliseconds_now();
  std::erase_if(refused_, [now](const Held& refused) {
    char bytes[4096];
    ssize_t got = 0;
    do {
      got = ::recv(refused.socket.number(), bytes, sizeof bytes, MSG_DONTWAIT);
    } while (got > 0);
    return got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK) || now > refused.deadline;
  });
}

}  // namespace plainfs::serve
