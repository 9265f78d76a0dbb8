// libfuse's session of a mount: made from its options, and mounted, each with the reason where it cannot be.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

struct fuse_session;
struct fuse_lowlevel_ops;

namespace plainfs {

// options: libfuse's, "allow_other", "fsname=x". Throws Failure(kNoSession).
fuse_session* new_fuse_session(const std::string& mountpoint, const std::vector<std::string>& options,
                               bool debug, const fuse_lowlevel_ops& operations, void* user);
// mountpoint: a directory, or "/dev/fd/N" of a mount that is there. Throws Failure(kMountFailed).
void mount_fuse_session(fuse_session* session, const std::string& mountpoint,
                        const std::vector<std::string>& options);

}  // namespace plainfs
