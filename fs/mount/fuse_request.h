// A question of the kernel's as a Request: cancelled when the process that asked is being ended, or the
// mount.
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

// Whether the process that waits for the answer is on its way out: it was killed, or told to end, or has
// stopped waiting. That it is sent other signals which it handles (a timer's, a profiler's) is none of our
// business: few programs expect to be told so by stat() or read(). Requires: request is not answered yet.
bool is_abandoned(fuse_req* request) noexcept;

// Lives no longer than request is unanswered, or is asked nothing after that.
class FuseRequest : public Request {
 public:
  FuseRequest(fuse_req* request, const FuseMount& mount);
  // Looks at the request once a tick of the clock, some milliseconds.
  bool cancelled() const override;

 private:
  fuse_req* const request_;
  const FuseMount& mount_;
  // Relaxed both: threads that help may look at the same time and find the same.
  mutable std::atomic<int64_t> looked_at_;
  mutable std::atomic<bool> is_abandoned_{false};
};

// How answers are given to libfuse: what stands behind the handle of an open file, and replies of bytes.

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
// The same in READDIRPLUS's form. describe: what looking the entry up would reply; nullopt: nothing is told
// of it but its name. False if the kernel did not take the reply.
using DescribeEntry = std::function<std::optional<fuse_entry_param>(const Listing::Entry& entry)>;
bool reply_described(fuse_req_t request, const Listing& listing, const ListedDirectory& directory,
                     off_t offset, size_t size, const DescribeEntry& describe);
void reply_slices(fuse_req_t request, const Slices& slices);
// No number of files is told: all of them would be in use, and what watches file systems warns of that.
void reply_statfs(fuse_req_t request);
// An extended attribute or their list, or how large it is where the caller only asks that.
void reply_attribute(fuse_req_t request, std::string_view value, size_t room);
// All that would write is answered by EROFS.
void refuse_writes(fuse_lowlevel_ops& ops);

}  // namespace plainfs
