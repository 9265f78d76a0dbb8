#include "formats/core/base/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/core/base/local_file.h"

namespace plainfs {
namespace {

// The header before the bytes of a message.
struct Head {
  uint32_t kind;
  uint32_t reserved;
  uint64_t size;
};

// The most bytes that are allocated before any of them has arrived.
constexpr size_t kReceiveStep = 4 << 20;

// Microseconds between two calls of look.
constexpr suseconds_t kBetweenLooks = 20'000;

#ifdef MSG_NOSIGNAL
constexpr int kSendFlags = MSG_NOSIGNAL;
#else
constexpr int kSendFlags = 0;
#endif
#ifdef MSG_CMSG_CLOEXEC
constexpr int kReceiveFlags = MSG_CMSG_CLOEXEC;
#else
constexpr int kReceiveFlags = 0;
#endif

struct alignas(cmsghdr) ControlRoom {
  char bytes[CMSG_SPACE(sizeof(int))] = {};
};

void attach(msghdr& message, ControlRoom& room, int descriptor) {
  message.msg_control = room.bytes;
  message.msg_controllen = sizeof room.bytes;
  cmsghdr* const control = CMSG_FIRSTHDR(&message);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
}

void detach(msghdr& message, Descriptor& descriptor) {
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control; control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    int number = -1;
    std::memcpy(&number, CMSG_DATA(control), sizeof number);
    descriptor = Descriptor(number);
  }
}

bool is_time_to_look(int error) {
  return error == EAGAIN || error == EWOULDBLOCK;
}

}  // namespace

void Channel::look_while_waiting(std::function<void()> look) {
  timeval step{};
  step.tv_usec = kBetweenLooks;
  for (const int which : {SO_RCVTIMEO, SO_SNDTIMEO})
    ::setsockopt(socket_.number(), SOL_SOCKET, which, &step, sizeof step);
  look_ = std::move(look);
}

bool Channel::send_at_once(uint32_t kind, ByteSpan bytes) {
  Head head{kind, 0, bytes.size()};
  iovec parts[2] = {{&head, sizeof head}, {const_cast<std::byte*>(bytes.data()), bytes.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  // All or nothing: the system keeps it in one small buffer.
  return ::sendmsg(socket_.number(), &message, kSendFlags | MSG_DONTWAIT) > 0;
}

bool Channel::send(uint32_t kind, ByteSpan bytes, int descriptor) {
  Head head{kind, 0, bytes.size()};
  return send_all(reinterpret_cast<std::byte*>(&head), sizeof head, bytes, descriptor);
}

bool Channel::send_all(std::byte* bytes, size_t size, ByteSpan more, int descriptor) {
  ControlRoom room;
  iovec parts[2] = {{bytes, size}, {const_cast<std::byte*>(more.data()), more.size()}};
  while (parts[0].iov_len + parts[1].iov_len > 0) {
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    if (descriptor >= 0) attach(message, room, descriptor);
    const ssize_t sent = ::sendmsg(socket_.number(), &message, kSendFlags);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && look_ && is_time_to_look(errno)) {
      look_();
      continue;
    }
    if (sent < 0) return false;
    descriptor = -1;
    auto left = static_cast<size_t>(sent);
    for (iovec& part : parts) {
      const size_t gone = std::min(left, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + gone;
      part.iov_len -= gone;
      left -= gone;
    }
  }
  return true;
}

size_t Channel::receive_some(std::byte* to, size_t size, Descriptor& descriptor) {
  for (;;) {
    ControlRoom room;
    iovec part{to, size};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (takes_descriptors_) {
      message.msg_control = room.bytes;
      message.msg_controllen = sizeof room.bytes;
    }
    const ssize_t got = ::recvmsg(socket_.number(), &message, kReceiveFlags);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && look_ && is_time_to_look(errno)) {
      look_();
      continue;
    }
    left_unread_ = got < 0 && errno == ECONNRESET;
    if (got <= 0) return 0;
    if (takes_descriptors_) detach(message, descriptor);
    return static_cast<size_t>(got);
  }
}

// Reads the header together with the bytes that arrived with it, which for a small message are all, in one
// system call.
std::optional<Message> Channel::receive(uint64_t max_bytes) {
  struct {
    Head head;
    std::byte more[16384];
  } first;
  Message message;
  auto* const start = reinterpret_cast<std::byte*>(&first);
  size_t got = 0;
  while (got < sizeof(Head)) {
    const size_t some = receive_some(start + got, sizeof first - got, message.descriptor);
    if (some == 0) return std::nullopt;
    got += some;
  }
  const size_t received = got - sizeof(Head);
  if (first.head.size > max_bytes || received > first.head.size) return std::nullopt;
  message.kind = first.head.kind;
  message.bytes.assign(first.more, first.more + received);
  while (message.bytes.size() < first.head.size) {
    const size_t before = message.bytes.size();
    message.bytes.resize(before + std::min<uint64_t>(first.head.size - before, kReceiveStep));
    for (size_t done = before; done < message.bytes.size();) {
      const size_t some =
          receive_some(message.bytes.data() + done, message.bytes.size() - done, message.descriptor);
      if (some == 0) return std::nullopt;
      done += some;
    }
  }
  return message;
}

ChannelEnds make_channel() {
  int ends[2];
#ifdef SOCK_CLOEXEC
  constexpr int kType = SOCK_STREAM | SOCK_CLOEXEC;
#else
  constexpr int kType = SOCK_STREAM;
#endif
  if (::socketpair(AF_UNIX, kType, 0, ends) != 0) throw system_error("channel to another process", errno);
  for (const int end : ends) {
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE  // if MSG_NOSIGNAL is unknown, or not supported by every version
    constexpr int kOn = 1;
    ::setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &kOn, sizeof kOn);
#endif
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace plainfs
