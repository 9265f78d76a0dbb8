// How answers are given to libfuse: what stands behind the handle of an open file, and replies of bytes.
#pragma once

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "fs/filesystem.h"

namespace plainfs {

// What fi->fh points to.
struct OpenDirectory {
  ListingPtr listing;
};
struct OpenedFile {
  OpenFile file;
  std::atomic<bool> is_sized{false};  // relaxed: spares asking the view again
};

template <class T>
uint64_t to_handle(std::unique_ptr<T> open) {
  return reinterpret_cast<uintptr_t>(open.release());
}
template <class T>
T* from_handle(const fuse_file_info* info) {
  return reinterpret_cast<T*>(static_cast<uintptr_t>(info->fh));
}

struct ListedDirectory {
  Inode inode;
  Inode parent;
};
// As many entries as have room in size bytes, from the one numbered offset on: "." is 0, ".." 1, then as
// listed.
void reply_listing(fuse_req_t request, const Listing& listing, const ListedDirectory& directory, off_t offset,
                   size_t size);
void reply_slices(fuse_req_t request, const Slices& slices);
// No number of files is told: all of them would be in use, and what watches file systems warns of that.
void reply_statfs(fuse_req_t request);
// An extended attribute or their list, or how large it is where the caller only asks that.
void reply_attribute(fuse_req_t request, std::string_view value, size_t room);
// All that would write is answered by EROFS.
void refuse_writes(fuse_lowlevel_ops& ops);

}  // namespace plainfs
