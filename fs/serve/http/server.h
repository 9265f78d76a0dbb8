// A server with a thread for each connection, so that a long request delays no other client. The number of
// connections is limited. At the limit, a new client replaces an idle connection, or one with a client that
// is stuck sending its request or reading its reply. If all connections are busy, the new client waits for
// one to end, and gets 503 only after that has taken long: readers of Zarr take an error for absent data.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <thread>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/descriptor.h"
#include "fs/serve/http/connection.h"

namespace plainfs::serve {

struct ServerSettings {
  size_t max_connections = 128;  // aiohttp opens 100
  int waiting = 30'000;          // milliseconds until a client that waits for a connection gets 503
  Patience patience;
  // Milliseconds after which a connection is stuck: its client has not sent the whole request, or reads none
  // of the reply. Most requests arrive at once, but a reader may pause to compute.
  int stuck_asking = 250;
  int stuck_taking = 1'000;
};

class Server {
 public:
  // listening: non-blocking sockets. Starts at once. Throws std::system_error if
  // no thread can be started.
  Server(std::vector<Descriptor> listening, Handler handler, ServerSettings settings = {});
  // Cancels and breaks off all requests in progress.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint64_t answered() const { return answered_.load(std::memory_order_relaxed); }
  size_t connections() const;

 private:
  struct Served;
  // A connection that waits for others to end, or that was answered with 503 and is kept until its client has
  // read the reply.
  struct Held {
    Descriptor socket;
    int64_t deadline;
  };
  void run() noexcept;
  void wait(std::vector<bool>& ready);
  void accept_from(int listening);
  void take(Descriptor socket);
  void start(Descriptor socket) REQUIRES(mutex_);
  void start_waiting();
  void refuse(Descriptor socket);
  void look_at_refused();
  void reap() REQUIRES(mutex_);
  bool make_room() REQUIRES(mutex_);

  const std::vector<Descriptor> listening_;
  const Handler handler_;
  const ServerSettings settings_;
  std::atomic<bool> is_over_{false};        // relaxed: publishes no other data
  std::atomic<uint64_t> answered_{0};       // relaxed: a counter
  Descriptor wake_reading_, wake_writing_;  // a byte ends run()
  // Used only by the accepting thread.
  std::vector<Held> refused_;
  std::deque<Held> waiting_;  // the longest first
  mutable Mutex mutex_;
  std::list<std::unique_ptr<Served>> served_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace plainfs::serve
