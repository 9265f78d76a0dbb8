// The handler of a server's requests. The server itself knows nothing of what it serves.
#pragma once

#include <functional>

#include "fs/serve/http/reply.h"

namespace plainfs::serve {

// Both functions are called on the threads of connections, several at once.
struct Handler {
  // Answers a request. Returns whether the connection may be reused. Throws Lost if the client has left, and
  // Broken if the connection must be broken off.
  std::function<bool(const HttpRequest& request, Client& client)> answer;
  // Replies to input that is not a valid request, or before any request. The connection ends afterwards.
  std::function<void(int status, Client& client)> refuse;
};

}  // namespace plainfs::serve
