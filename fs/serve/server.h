// A server with a thread for each connection, so that a long request delays no other client. The number of
// connections is limited. At the limit, a new client replaces an idle connection, or one with a client that
// is stuck sending its request or reading its reply. If all connections are busy, the new client gets 503.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <thread>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/descriptor.h"
#include "fs/serve/connection.h"

namespace plainfs::serve {

struct ServerSettings {
  size_t most_connections = 64;
  Patience patience;
  // Milliseconds after which a connection is stuck: its client has not sent the whole request, or reads none
  // of the reply. Most requests arrive at once, but a reader may pause to compute.
  int stuck_asking = 250;
  int stuck_taking = 1'000;
};

class Server {
 public:
  // listening: non-blocking sockets. answering must outlive this. Starts at once. Throws std::system_error if
  // no thread can be started.
  Server(std::vector<Descriptor> listening, const Answering& answering, ServerSettings settings = {});
  // Cancels and breaks off all requests in progress.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint64_t answered() const { return answered_.load(std::memory_order_relaxed); }
  size_t connections() const;

 private:
  struct Served;
  // A connection that was answered with 503, kept until its client has read the reply.
  struct Refused {
    Descriptor socket;
    int64_t deadline;
  };
  void run() noexcept;
  void wait(std::vector<bool>& ready);
  void accept_from(int listening);
  void take(Descriptor socket);
  void refuse(Descriptor socket);
  void look_at_refused();
  void reap() REQUIRES(mutex_);
  bool make_room() REQUIRES(mutex_);

  const std::vector<Descriptor> listening_;
  const Answering& answering_;
  const ServerSettings settings_;
  std::atomic<bool> is_over_{false};        // relaxed: publishes no other data
  std::atomic<uint64_t> answered_{0};       // relaxed: a counter
  Descriptor wake_reading_, wake_writing_;  // a byte ends run()
  std::vector<Refused> refused_;            // used only by the accepting thread
  mutable Mutex mutex_;
  std::list<std::unique_ptr<Served>> served_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace plainfs::serve
