// A file system with one file that costs nothing to read. Its speed is the limit of any FUSE file system on
// this machine. Its connection to the kernel is set up like that of plainfs.
// Usage: null_fuse SIZE MOUNTPOINT [FUSE options]
#include <fuse_lowlevel.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "fs/mount/fuse_connection.h"

namespace {

constexpr fuse_ino_t kFile = 2;
constexpr double kForever = 86400;
constexpr size_t kLongestRead = 1 << 20;

struct NullFile {
  uint64_t size;
  std::vector<char> bytes = std::vector<char>(kLongestRead, '7');
};

NullFile& file_of(fuse_req_t request) {
  return *static_cast<NullFile*>(fuse_req_userdata(request));
}

struct stat attributes(fuse_ino_t inode, const NullFile& file) {
  struct stat st {};
  st.st_ino = inode;
  st.st_mode = inode == kFile ? S_IFREG | 0444 : S_IFDIR | 0555;
  st.st_nlink = 1;
  st.st_size = inode == kFile ? static_cast<off_t>(file.size) : 0;
  return st;
}

void init(void*, fuse_conn_info* connection) {
  plainfs::set_connection(*connection);
}

void lookup(fuse_req_t request, fuse_ino_t, const char* name) {
  if (std::strcmp(name, "null") != 0) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  fuse_entry_param entry{};
  entry.ino = kFile;
  entry.attr = attributes(kFile, file_of(request));
  entry.attr_timeout = entry.entry_timeout = kForever;
  fuse_reply_entry(request, &entry);
}

void getattr(fuse_req_t request, fuse_ino_t inode, fuse_file_info*) {
  const struct stat st = attributes(inode, file_of(request));
  fuse_reply_attr(request, &st, kForever);
}

void open(fuse_req_t request, fuse_ino_t, fuse_file_info* handle) {
  handle->keep_cache = 1;
  fuse_reply_open(request, handle);
}

void read(fuse_req_t request, fuse_ino_t, size_t size, off_t offset, fuse_file_info*) {
  const NullFile& file = file_of(request);
  const uint64_t left = file.size - std::min<uint64_t>(static_cast<uint64_t>(offset), file.size);
  const iovec part{const_cast<char*>(file.bytes.data()), std::min<uint64_t>({size, left, kLongestRead})};
  fuse_reply_iov(request, &part, 1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  NullFile file{std::strtoull(argv[1], nullptr, 10)};
  argv[1] = argv[0];
  fuse_args args = FUSE_ARGS_INIT(argc - 1, argv + 1);
  fuse_cmdline_opts options{};
  if (fuse_parse_cmdline(&args, &options) != 0 || options.mountpoint == nullptr) return 2;
  fuse_lowlevel_ops operations{};
  operations.init = init;
  operations.lookup = lookup;
  operations.getattr = getattr;
  operations.open = open;
  operations.read = read;
  fuse_session* session = fuse_session_new(&args, &operations, sizeof operations, &file);
  if (session == nullptr || fuse_set_signal_handlers(session) != 0) return 1;
  if (fuse_session_mount(session, options.mountpoint) != 0) return 1;
  plainfs::raise_read_ahead(options.mountpoint);
  fuse_daemonize(options.foreground);
  const int status = plainfs::serve_with_threads(session);
  fuse_session_unmount(session);
  return status == 0 ? 0 : 1;
}
