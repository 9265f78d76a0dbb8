#include "fs/mount/fuse_replies.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace plainfs {
namespace {

constexpr size_t kMostParts = 1000;  // of one reply; IOV_MAX is 1024 with the header

// S_IFDIR and so on; 0 where it is not known yet.
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

}  // namespace

void reply_listing(fuse_req_t request, const Listing& listing, const ListedDirectory& directory, off_t offset,
                   size_t size) {
  std::vector<char> buffer(size);
  size_t used = 0;
  // next: the number of the entry behind it.
  const auto add = [&](const char* name, Inode inode, mode_t type, off_t next) {
    struct stat status {};
    status.st_ino = inode;
    status.st_mode = type;
    const size_t wanted = fuse_add_direntry(request, buffer.data() + used, size - used, name, &status, next);
    if (wanted > size - used) return false;
    used += wanted;
    return true;
  };
  bool fits = true;
  if (offset < 1) fits = add(".", directory.inode, S_IFDIR, 1);
  if (fits && offset < 2) fits = add("..", directory.parent, S_IFDIR, 2);
  for (size_t i = std::max<off_t>(offset, 2) - 2; fits && i < listing.entries.size(); ++i) {
    const Listing::Entry& entry = listing.entries[i];
    fits = add(entry.name.c_str(), entry.inode, type_of(entry.kind), static_cast<off_t>(i) + 3);
  }
  fuse_reply_buf(request, buffer.data(), used);
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
