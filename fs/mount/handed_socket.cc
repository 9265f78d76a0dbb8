#include "fs/mount/handed_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <chrono>
#include <cstring>
#include <thread>

#include "formats/core/base/descriptor.h"
#include "fs/command_line/exit_code.h"

namespace plainfs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kBetweenKnocks = std::chrono::milliseconds(100);
constexpr size_t kMaxDescriptors = 8;

Failure failed(const std::string& path, const std::string& why) {
  return Failure(kMountFailed, fmt::format("{}: {}", path, why));
}

// Returns no descriptor if nothing listens there yet.
Descriptor connected(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw failed(path, fmt::format("a path of more than {} bytes", sizeof address.sun_path - 1));
  std::memcpy(address.sun_path, path.data(), path.size());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  ::fcntl(socket.number(), F_SETFD, FD_CLOEXEC);
  if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return socket;
  if (errno == ENOENT || errno == ECONNREFUSED || errno == EINTR) return {};
  throw failed(path, std::strerror(errno));
}

// Waits until there is something to read. Returns false at the end of the time.
bool is_readable(int socket, Clock::time_point end) {
  while (Clock::now() < end) {
    pollfd poll{socket, POLLIN, 0};
    if (::poll(&poll, 1, static_cast<int>(kBetweenKnocks.count())) > 0) return true;
  }
  return false;
}

// Returns the first descriptor of a message, and closes any others.
Descriptor first_descriptor(msghdr& message) {
  Descriptor first;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof(int), sizeof number);
      Descriptor received(number);
      if (first.number() < 0) first = std::move(received);
    }
  }
  return first;
}

Descriptor received(const std::string& path, int socket) {
  std::array<char, 4096> bytes;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control;
  iovec part{bytes.data(), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = ::recvmsg(socket, &message, 0);
  if (size < 0) throw failed(path, std::strerror(errno));
  Descriptor descriptor = first_descriptor(message);
  if (descriptor.number() < 0)
    throw failed(path, size == 0 ? "the program there closed the connection without a message"
                                 : "the message there has no descriptor, expected an open /dev/fuse");
  return descriptor;
}

}  // namespace

std::string receive_mount(const std::string& path, unsigned seconds) {
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  Descriptor socket;
  while ((socket = connected(path)).number() < 0) {
    if (Clock::now() >= end) throw failed(path, fmt::format("no program listens there after {} s", seconds));
    std::this_thread::sleep_for(kBetweenKnocks);
  }
  if (!is_readable(socket.number(), end))
    throw failed(path, fmt::format("no message with a descriptor after {} s", seconds));
  return fmt::format("/dev/fd/{}", received(path, socket.number()).release());
}

}  // namespace plainfs
