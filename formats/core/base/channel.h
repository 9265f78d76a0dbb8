// One end of a socket between the daemon and a process beside it: messages of a kind and any number of bytes,
// with a descriptor besides where the receiver takes them. Each side sends one and waits for the other's.
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
  Descriptor descriptor;  // where one came with it
};

// Not thread-safe.
class Channel {
 public:
  // What look throws where the other side is not waited for any longer.
  struct Silence {};

  Channel() = default;
  // takes_descriptors: of others, that come are closed at once.
  Channel(Descriptor socket, bool takes_descriptors)
      : socket_(std::move(socket)), takes_descriptors_(takes_descriptors) {}

  // From now on look is called every now and then while send() and receive() wait. It may throw; nothing more
  // is to be sent or received after that.
  void look_while_waiting(std::function<void()> look);

  // False where the other side is gone.
  bool send(uint32_t kind, ByteSpan bytes, int descriptor = -1);
  // nullopt where the other side is gone, or says that more than most_bytes come.
  std::optional<Message> receive(uint64_t most_bytes);
  // After that: whether the other side went without having read all that was sent to it.
  bool left_unread() const { return left_unread_; }
  // A short message, where that waits for nothing. Else false, and nothing is sent.
  bool send_at_once(uint32_t kind, ByteSpan bytes);

 private:
  bool send_all(std::byte* bytes, size_t size, ByteSpan more, int descriptor);
  // At least one byte to where there is room for size; 0 at the end.
  size_t receive_some(std::byte* to, size_t size, Descriptor& descriptor);

  Descriptor socket_;
  std::function<void()> look_;
  bool left_unread_ = false;
  bool takes_descriptors_ = false;
};

// The two ends of a new one. Throws unreadable.
struct ChannelEnds {
  Descriptor ours;
  Descriptor theirs;
};
ChannelEnds make_channel();

}  // namespace plainfs
