// What libfuse calls. Each callback hands its request to the Filesystem and answers it exactly once, with
// what that gives or the errno of what it throws; one that needs a size which takes long is answered later,
// by whichever thread has made it.
#pragma once

struct fuse_lowlevel_ops;

namespace plainfs {

// The user data of the session is the FuseMount.
fuse_lowlevel_ops fuse_operations();

}  // namespace plainfs
