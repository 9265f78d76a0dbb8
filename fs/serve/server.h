// Takes connections, each served by a thread of its own, so that what takes long for one client keeps no
// other waiting. There are at most so many; when another client comes, one that waits between two requests
// makes room, or one whose client is stuck in its request or takes nothing of its reply, and where all are
// busy the answer is 503.
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
  // Milliseconds after which one makes room: whose client has not sent all of a request; who takes nothing of
  // a reply. Most requests come whole, and a reader may stop to compute.
  int stuck_asking = 250;
  int stuck_taking = 1'000;
};

class Server {
 public:
  // listening: sockets that do not block. answering outlives this. Begins at once. Throws std::system_error
  // where there is no thread.
  Server(std::vector<Descriptor> listening, const Answering& answering, ServerSettings settings = {});
  // What is under way is cancelled and broken off.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint64_t answered() const { return answered_.load(std::memory_order_relaxed); }
  size_t connections() const;

 private:
  struct Served;
  // One that was answered with 503: kept until its client has read that.
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
  std::atomic<bool> is_over_{false};        // relaxed: nothing else is told by it
  std::atomic<uint64_t> answered_{0};       // relaxed: a sum
  Descriptor wake_reading_, wake_writing_;  // a byte ends run()
  std::vector<Refused> refused_;            // of the thread that accepts
  mutable Mutex mutex_;
  std::list<std::unique_ptr<Served>> served_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace plainfs::serve
