// How a file system speaks with the kernel, whatever it says: the settings of the connection, read-ahead and
// threads. Shared with the null file system of the benchmark, so that the two differ in nothing else.
#pragma once

#include <string>

struct fuse_conn_info;
struct fuse_session;

namespace plainfs {

// A request that waits for the store keeps one of them.
constexpr unsigned kServingThreads = 32;

// For the init callback.
void set_connection(fuse_conn_info& connection);

// Lets the kernel read ahead 1 MiB; it reads ahead 128 KiB unless root says otherwise for the device of a
// mount.
void raise_read_ahead(const std::string& mountpoint);

// Serves requests with kServingThreads at most; negative errno where that failed.
int serve_with_threads(fuse_session* session);

}  // namespace plainfs
