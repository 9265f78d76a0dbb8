// The addresses on which the server listens.
#pragma once

#include <string>
#include <vector>

#include "formats/core/base/descriptor.h"

namespace plainfs::serve {

struct ListenAddress {
  std::string address = "127.0.0.1";  // a numeric IPv4 or IPv6 address (without brackets)
  int port = 0;                       // 0: any free port
  // Returns whether only this machine can reach the address.
  bool is_loopback() const;
};

// Parses "8080", "0.0.0.0:8080", "[::1]:8080" or "127.0.0.1". Throws Failure(kUsage) for any other text.
ListenAddress parse_listen_address(const std::string& text);

// Returns a non-blocking socket that listens at `address`, and sets the port in it. Throws
// Failure(kMountFailed) if the system refuses.
Descriptor listen_at(ListenAddress& address);

// Returns the sockets that systemd opened for this process (sd_listen_fds(3)), possibly none.
std::vector<Descriptor> inherited_sockets();
// Returns the address of a listening socket.
ListenAddress address_of(const Descriptor& socket);

}  // namespace plainfs::serve
