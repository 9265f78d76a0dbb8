// A channel between the daemon and a helper process: one end of a socket. A message has a kind, any number of
// bytes and, if the receiver accepts them, a descriptor. Each side sends a message, then waits for the reply.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "formats/core/base/bytes.h"
#include "formats/core/base/descriptor.h"

namespace plainfs {

struct Message {
  uint32_t kind = 0;
  Bytes bytes;
  Descriptor descriptor;  // the descriptor that came with the message, if any
};

// An end of the socket. Not thread-safe.
class Channel {
 public:
  // The exception that the look function throws to stop waiting for the other side.
  struct Silence {};

  Channel() = default;
  // takes_descriptors: if false, received descriptors are closed at once.
  Channel(Descriptor socket, bool takes_descriptors)
      : socket_(std::move(socket)), takes_descriptors_(takes_descriptors) {}

  // Sets a function that is called from time to time while send() and receive() wait. It may throw. Nothing
  // more may be sent or received after that.
  void look_while_waiting(std::function<void()> look);

  // Returns false if the other side is gone.
  bool send(uint32_t kind, ByteSpan bytes, int descriptor = -1);
  // Returns nullopt if the other side is gone, or announces more than max_bytes.
  std::optional<Message> receive(uint64_t max_bytes);
  // Returns whether the other side left without reading all that was sent. Valid after receive() returned
  // nullopt.
  bool left_unread() const { return left_unread_; }
  // Sends a short message if that does not have to wait. Otherwise returns false and sends nothing.
  bool send_at_once(uint32_t kind, ByteSpan bytes);

 private:
  bool send_all(std::byte* bytes, size_t size, ByteSpan more, int descriptor);
  // Receives between one and `size` bytes. Returns their number, 0 at the end.
  size_t receive_some(std::byte* to, size_t size, Descriptor& descriptor);

  Descriptor socket_;
  std::function<void()> look_;
  bool left_unread_ = false;
  bool takes_descriptors_ = false;
};

// The two ends of a new channel. make_channel throws unreadable.
struct ChannelEnds {
  Descriptor ours;
  Descriptor theirs;
};
ChannelEnds make_channel();

}  // namespace plainfs
