// Where the server listens.
#pragma once

#include <string>
#include <vector>

#include "formats/core/base/descriptor.h"

namespace plainfs::serve {

struct ListenAddress {
  std::string address = "127.0.0.1";  // a number, of IPv4 or IPv6 (without brackets)
  int port = 0;                       // 0: one that is free
  // Whether only this machine reaches it.
  bool is_loopback() const;
};

// "8080", "0.0.0.0:8080", "[::1]:8080", "127.0.0.1". Throws Failure(kUsage) for what is none.
ListenAddress parse_listen_address(const std::string& text);

// A socket that listens there, and does not block. Throws Failure(kMountFailed) where the system refuses.
// address has the port afterwards.
Descriptor listen_at(ListenAddress& address);

// Sockets that systemd has opened for this process (sd_listen_fds(3)); empty: none.
std::vector<Descriptor> inherited_sockets();
// Where one of these listens.
ListenAddress address_of(const Descriptor& socket);

}  // namespace plainfs::serve
