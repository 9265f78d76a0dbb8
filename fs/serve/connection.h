// One connection: requests come in, replies go out, one after the other, on the thread that serve() is called
// on. While an answer is being made, the client that waits for it is looked at: one that left cancels it.
#pragma once

#include <atomic>
#include <cstdint>

#include "cache/request.h"
#include "formats/core/base/descriptor.h"
#include "fs/serve/answering.h"

namespace plainfs::serve {

// How long a client may take, in milliseconds.
struct Patience {
  int between_requests = 60'000;
  int request = 30'000;  // from its first byte to its last
  int reading = 60'000;  // without taking a byte of the reply
};

class Connection : public Client, private Request {
 public:
  // socket does not block. is_over outlives this: true ends it.
  Connection(Descriptor socket, Patience patience, const std::atomic<bool>& is_over);
  ~Connection() override;

  // Until the client or the server has enough of it. Throws nothing. answered counts.
  void serve(const Answering& answering, std::atomic<uint64_t>& answered) noexcept;
  // A reply that is sent before anything was asked, as far as it can be at once.
  void refuse(const Answering& answering, int status) noexcept;
  Descriptor take_socket() { return std::move(socket_); }
  // While no other thread may call end(), which does nothing from then on.
  void close() noexcept { socket_ = Descriptor(); }

  void send(const Slices& bytes) override;

  // From other threads while this is alive.
  void end() noexcept;
  // What it waits for, and for how many milliseconds it has. Idle is between two requests.
  enum class State { kIdle, kReading, kAnswering, kSending };
  State state() const { return state_.load(std::memory_order_relaxed); }
  int64_t waited(int64_t now) const { return now - since_.load(std::memory_order_relaxed); }

 private:
  bool cancelled() const override;
  void set(State state);
  bool wait_for(short events, int64_t deadline) const;
  bool read_some(RequestReader& reader, int64_t deadline);
  std::optional<HttpRequest> next_request(RequestReader& reader);
  bool answer_next(const Answering& answering, RequestReader& reader, std::atomic<uint64_t>& answered);
  void break_off();
  void close_slowly();

  Descriptor socket_;
  bool is_first_ = true;
  const Patience patience_;
  const std::atomic<bool>& is_over_;
  // Relaxed all: they are looked at by others, and a moment later will do.
  std::atomic<State> state_{State::kReading};
  std::atomic<int64_t> since_;
  mutable std::atomic<int64_t> looked_at_{0};
  mutable std::atomic<bool> has_left_{false};
};

// Milliseconds of a clock that is never set.
int64_t milliseconds_now();

}  // namespace plainfs::serve
