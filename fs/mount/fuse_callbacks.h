// The callbacks of libfuse. Each hands its request to the Filesystem and replies exactly once, with the
// result or the errno of the exception. A callback that needs a size that takes long to compute replies
// later, from the thread that has computed it.
#pragma once

#include <fuse_lowlevel.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "cache/request.h"
#include "fs/filesystem.h"

struct fuse_req;

namespace plainfs {

class FuseMount;

// Returns the callbacks. The user data of the session must be the FuseMount.
fuse_lowlevel_ops fuse_operations();

// fuse_request.cc: a kernel request as a Request, and the replies to one.

// Returns whether the process that waits for the reply is ending: it was killed, asked to end, or has stopped
// waiting. Other signals that it handles (from a timer, from a profiler) do not count, as few programs expect
// stat() or read() to be interrupted by them. Requires: request is not answered yet.
bool is_abandoned(fuse_req* request) noexcept;

// The kernel's request, seen as a Request. It must not be used after request is answered.
class FuseRequest : public Request {
 public:
  FuseRequest(fuse_req* request, const FuseMount& mount);
  // Checks the request at most once per clock tick, some milliseconds.
  bool cancelled() const override;

 private:
  fuse_req* const request_;
  const FuseMount& mount_;
  // Both are relaxed: helping threads may check at the same time and find the same.
  mutable std::atomic<int64_t> looked_at_;
  mutable std::atomic<bool> is_abandoned_{false};
};

// Replies for libfuse: the objects behind the handles of open files, and replies of bytes.

// The targets of fi->fh.
struct OpenDirectory {
  ListingPtr listing;
};
struct OpenedFile {
  OpenFile file;
  std::atomic<bool> is_sized{false};  // relaxed: saves asking the view again
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
// Replies with as many entries as fit into `size` bytes, from number `offset` on: "." is 0, ".." 1, then in
// listing order.
void reply_listing(fuse_req_t request, const Listing& listing, const ListedDirectory& directory, off_t offset,
                   size_t size);
// Replies in READDIRPLUS's form. describe: returns the reply of a lookup of the entry, or nullopt to report
// only its name. Returns false if the kernel did not take the reply.
using DescribeEntry = std::function<std::optional<fuse_entry_param>(const Listing::Entry& entry)>;
bool reply_described(fuse_req_t request, const Listing& listing, const ListedDirectory& directory,
                     off_t offset, size_t size, const DescribeEntry& describe);
void reply_slices(fuse_req_t request, const Slices& slices);
// Reports no number of files: all of them would be in use, and programs that monitor file systems warn about
// that.
void reply_statfs(fuse_req_t request);
// Replies with an extended attribute or their list, or only with its size if `room` is 0.
void reply_attribute(fuse_req_t request, std::string_view value, size_t room);
// Answers all writing requests with EROFS.
void refuse_writes(fuse_lowlevel_ops& ops);

}  // namespace plainfs
