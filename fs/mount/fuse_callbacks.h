// The callbacks of libfuse. Each hands its request to the Filesystem and replies exactly once, with the
// result or the errno of the exception. A callback that needs a size that takes long to compute replies
// later, from the thread that has computed it.
#pragma once

struct fuse_lowlevel_ops;

namespace plainfs {

// Returns the callbacks. The user data of the session must be the FuseMount.
fuse_lowlevel_ops fuse_operations();

}  // namespace plainfs
