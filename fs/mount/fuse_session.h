// libfuse's session of a mount: creation from its options, and mounting, with the reason if either fails.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

struct fuse_session;
struct fuse_lowlevel_ops;

namespace plainfs {

// Returns a session. options: libfuse's, "allow_other", "fsname=x". Throws Failure(kNoSession).
fuse_session* new_fuse_session(const std::string& mountpoint, const std::vector<std::string>& options,
                               bool debug, const fuse_lowlevel_ops& operations, void* user);
// Mounts the session. mountpoint: a directory, or "/dev/fd/N" of an existing mount. Throws
// Failure(kMountFailed).
void mount_fuse_session(fuse_session* session, const std::string& mountpoint,
                        const std::vector<std::string>& options);

// Messages for systems where FUSE cannot mount: what is missing, how to get it, and what works without it.

inline constexpr std::string_view kWithoutFuse =
    "these work without a mount: plainfs serve, ls, cat, export, info and check";

// Returns why this process cannot mount, and how to change that; "" if no obstacle is visible. It only
// examines the system's settings: whether a mount works is found out by trying. for_others: with -o
// allow_other.
std::string why_fuse_is_refused(bool for_others);

}  // namespace plainfs
