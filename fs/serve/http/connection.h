// A connection to a client. It answers one request after another on the thread that calls serve(). While a
// reply is prepared, the connection checks the client, and cancels the request if the client has left.
#pragma once

#include <atomic>
#include <cstdint>

#include "cache/request.h"
#include "formats/core/base/descriptor.h"
#include "fs/serve/http/handler.h"

namespace plainfs::serve {

// Time limits for a client, in milliseconds.
struct Patience {
  int between_requests = 60'000;
  int request = 30'000;  // from the first byte to the last
  int reading = 60'000;  // without accepting a byte of the reply
};

class Connection : public Client, private Request {
 public:
  // socket is non-blocking. is_over must outlive this; the connection ends when it becomes true.
  Connection(Descriptor socket, Patience patience, const std::atomic<bool>& is_over);
  ~Connection() override;

  // Serves requests until the client or the server ends the connection. Increments `answered` with each
  // reply.
  void serve(const Handler& handler, std::atomic<uint64_t>& answered) noexcept;
  // Sends a reply before any request, as far as that is possible without waiting.
  void refuse(const Handler& handler, int status) noexcept;
  Descriptor take_socket() { return std::move(socket_); }
  // Closes the socket. Requires: no thread is in end(). end() does nothing from then on.
  void close() noexcept { socket_ = Descriptor(); }

  void send(const Slices& bytes) override;

  // Ends the connection. Other threads may call it while this exists.
  void end() noexcept;
  // The activity of the connection, and for how many milliseconds it has lasted. Idle is between two
  // requests.
  enum class State { kIdle, kReading, kAnswering, kSending };
  State state() const { return state_.load(std::memory_order_relaxed); }
  int64_t waited(int64_t now) const { return now - since_.load(std::memory_order_relaxed); }

 private:
  bool cancelled() const override;
  void set(State state);
  bool wait_for(short events, int64_t deadline) const;
  bool read_some(RequestReader& reader, int64_t deadline);
  std::optional<HttpRequest> next_request(RequestReader& reader);
  bool answer_next(const Handler& handler, RequestReader& reader, std::atomic<uint64_t>& answered);
  void break_off();
  void close_slowly();

  Descriptor socket_;
  bool is_first_ = true;
  const Patience patience_;
  const std::atomic<bool>& is_over_;
  // All are relaxed: other threads only look at them, and a delay does no harm.
  std::atomic<State> state_{State::kReading};
  std::atomic<int64_t> since_;
  mutable std::atomic<int64_t> looked_at_{0};
  mutable std::atomic<bool> has_left_{false};
};

// Returns milliseconds of a monotonic clock.
int64_t milliseconds_now();

}  // namespace plainfs::serve
