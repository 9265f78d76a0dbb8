#include "fs/mount/fuse_replies.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>

namespace plainfs {
namespace {

constexpr size_t kMostParts = 1000;  // of one reply; IOV_MAX is 1024 with the header

}  // namespace

mode_t type_of(FileKind kind) {
  switch (kind) {
    case FileKind::directory:
      return S_IFDIR;
    case FileKind::file:
      return S_IFREG;
    case FileKind::link:
      return S_IFLNK;
    case FileKind::store:
      return 0;
  }
  return 0;
}

void reply_slices(fuse_req_t request, const Slices& slices) {
  if (slices.parts.size() <= kMostParts) {
    fuse_reply_iov(request, slices.parts.data(), static_cast<int>(slices.parts.size()));
    return;
  }
  Bytes joined(slices.size());
  slices.copy_to(joined);
  fuse_reply_buf(request, reinterpret_cast<const char*>(joined.data()), joined.size());
}

void reply_statfs(fuse_req_t request) {
  struct statvfs status {};
  status.f_bsize = status.f_frsize = 4096;
  status.f_namemax = 255;
  status.f_flag = ST_RDONLY;
  fuse_reply_statfs(request, &status);
}

void reply_attribute(fuse_req_t request, std::string_view value, size_t room) {
  if (room == 0)
    fuse_reply_xattr(request, value.size());
  else if (value.size() > room)
    fuse_reply_err(request, ERANGE);
  else
    fuse_reply_buf(request, value.data(), value.size());
}

void refuse_writes(fuse_lowlevel_ops& ops) {
  constexpr auto refuse = [](fuse_req_t request, auto...) { fuse_reply_err(request, EROFS); };
  ops.setattr = refuse;
  ops.mknod = refuse;
  ops.mkdir = refuse;
  ops.unlink = refuse;
  ops.rmdir = refuse;
  ops.symlink = refuse;
  ops.rename = refuse;
  ops.link = refuse;
  ops.write = refuse;
  ops.setxattr = refuse;
  ops.removexattr = refuse;
  ops.create = refuse;
  ops.fallocate = refuse;
}

}  // namespace plainfs
