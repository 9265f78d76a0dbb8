// The connection of a file system to the kernel: its settings, read-ahead and threads. The null file system
// of the benchmark uses it too, so that the two differ in nothing else.
#pragma once

#include <string>

struct fuse_conn_info;
struct fuse_session;

namespace plainfs {

// A request that waits for the store occupies one of them.
constexpr unsigned kServingThreads = 32;

// Sets the connection options in the init callback.
void set_connection(fuse_conn_info& connection);

// Raises the kernel's read-ahead to 1 MiB. The default for the device of a mount is 128 KiB, unless root has
// changed it.
void raise_read_ahead(const std::string& mountpoint);

// Serves requests with at most kServingThreads threads. Returns a negative errno on failure.
int serve_with_threads(fuse_session* session);

}  // namespace plainfs
