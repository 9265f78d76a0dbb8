#include "fs/serve/http/listening.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "fs/command_line/exit_code.h"

namespace plainfs::serve {
namespace {

constexpr int kWaiting = 256;       // connections not accepted yet
constexpr int kFirstInherited = 3;  // after the standard streams
constexpr int kMaxInherited = 16;

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

bool is_number(const std::string& text) {
  return !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos;
}

// Returns the length of the address; 0 if the text is not an address.
socklen_t fill(Address& out, const ListenAddress& in) {
  std::memset(&out, 0, sizeof out);
  if (::inet_pton(AF_INET, in.address.c_str(), &out.v4.sin_addr) == 1) {
    out.v4.sin_family = AF_INET;
    out.v4.sin_port = htons(static_cast<uint16_t>(in.port));
    return sizeof out.v4;
  }
  if (::inet_pton(AF_INET6, in.address.c_str(), &out.v6.sin6_addr) != 1) return 0;
  out.v6.sin6_family = AF_INET6;
  out.v6.sin6_port = htons(static_cast<uint16_t>(in.port));
  return sizeof out.v6;
}

void do_not_block(int socket) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
}

}  // namespace

bool ListenAddress::is_loopback() const {
  return address.starts_with("127.") || address == "::1";
}

ListenAddress parse_listen_address(const std::string& text) {
  ListenAddress parsed;
  std::string port;
  if (is_number(text)) {
    port = text;
  } else if (text.starts_with('[')) {
    const size_t end = std::min(text.find(']'), text.size());
    parsed.address = text.substr(1, end - 1);
    if (end + 1 < text.size()) port = text.substr(end + 1);
    if (!port.empty() && port[0] == ':') port.erase(0, 1);
    if (end == text.size()) parsed.address.clear();
  } else {
    const size_t colon = std::min(text.find(':'), text.size());
    parsed.address = text.substr(0, colon);
    if (colon < text.size()) port = text.substr(colon + 1);
    if (colon < text.size() && port.empty()) port = "?";
  }
  if (is_number(port)) parsed.port = std::atoi(port.c_str());
  Address address{};
  if ((!port.empty() && !is_number(port)) || parsed.port > 65535 || fill(address, parsed) == 0)
    throw Failure(
        kUsage,
        fmt::format("--listen {}: expected PORT, ADDRESS:PORT or [ADDRESS]:PORT, with numbers", text));
  return parsed;
}

Descriptor listen_at(ListenAddress& address) {
  Address number{};
  const socklen_t length = fill(number, address);
  const auto fail = [&](const char* what) -> Failure {
    return {kMountFailed,
            fmt::format("{} port {}: {}: {}", address.address, address.port, what, std::strerror(errno))};
  };
  Descriptor socket(::socket(number.any.sa_family, SOCK_STREAM, 0));
  if (socket.number() < 0) throw fail("socket");
  do_not_block(socket.number());
  // Allows the port of a server that has just ended.
  const int yes = 1;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket.number(), &number.any, length) != 0) throw fail("cannot listen there");
  if (::listen(socket.number(), kWaiting) != 0) throw fail("listen");
  address.port = address_of(socket).port;
  return socket;
}

ListenAddress address_of(const Descriptor& socket) {
  Address number{};
  socklen_t length = sizeof number;
  ListenAddress address;
  if (::getsockname(socket.number(), &number.any, &length) != 0) return address;
  char text[INET6_ADDRSTRLEN] = "";
  if (number.any.sa_family == AF_INET) {
    ::inet_ntop(AF_INET, &number.v4.sin_addr, text, sizeof text);
    address = {text, ntohs(number.v4.sin_port)};
  } else if (number.any.sa_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &number.v6.sin6_addr, text, sizeof text);
    address = {text, ntohs(number.v6.sin6_port)};
  }
  return address;
}

std::vector<Descriptor> inherited_sockets() {
  std::vector<Descriptor> sockets;
  const char* const process = std::getenv("LISTEN_PID");
  const char* const count = std::getenv("LISTEN_FDS");
  if (!process || !count || std::to_string(::getpid()) != process) return sockets;
  const int most = std::min(std::atoi(count), kMaxInherited);
  for (int i = 0; i < most; ++i) {
    do_not_block(kFirstInherited + i);
    sockets.emplace_back(kFirstInherited + i);
  }
  ::unsetenv("LISTEN_PID");
  ::unsetenv("LISTEN_FDS");
  return sockets;
}

}  // namespace plainfs::serve
