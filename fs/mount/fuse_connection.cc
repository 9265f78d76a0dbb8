#include "fs/mount/fuse_connection.h"

#include <fuse_lowlevel.h>

#include <fstream>
#include <new>

#include "fs/mounts/mount_table.h"

namespace plainfs {
namespace {

constexpr unsigned kReadAhead = 1 << 20;

}  // namespace

void set_connection(fuse_conn_info& connection) {
  connection.max_readahead = kReadAhead;
  connection.max_background = 64;
  connection.congestion_threshold = 48;
  connection.want &=
      ~static_cast<unsigned>(FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_SPLICE_READ | FUSE_CAP_WRITEBACK_CACHE);
  connection.want |=
      connection.capable & (FUSE_CAP_ASYNC_READ | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_CACHE_SYMLINKS |
                            FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO);
#ifdef FUSE_DARWIN_CAP_THREAD_SAFE  // otherwise macFUSE sends one request at a time per file
  fuse_darwin_set_feature_flag(&connection, FUSE_DARWIN_CAP_THREAD_SAFE);
#endif
}

void raise_read_ahead(const std::string& mountpoint) {
  const std::string device = what_is_mounted(mountpoint).device;
  if (!device.empty()) std::ofstream("/sys/class/bdi/" + device + "/read_ahead_kb") << kReadAhead / 1024;
}

int serve_with_threads(fuse_session* session) {
  fuse_loop_config* config = fuse_loop_cfg_create();
  if (!config) throw std::bad_alloc();
  fuse_loop_cfg_set_clone_fd(config, 0);
  fuse_loop_cfg_set_max_threads(config, kServingThreads);
  fuse_loop_cfg_set_idle_threads(config, kServingThreads);
  const int result = fuse_session_loop_mt(session, config);
  fuse_loop_cfg_destroy(config);
  return result;
}

}  // namespace plainfs
