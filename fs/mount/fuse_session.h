// libfuse's session of a mount: made from its options, and mounted, each with the reason where it cannot be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
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

// What to say where FUSE refuses to mount: what is missing, how it is had, and what works without it.

inline constexpr std::string_view kWithoutFuse =
    "these work without a mount: plainfs serve, ls, cat, export, info and check";

// Why this process cannot mount, with the way to change it; "" where nothing is seen that stands against it.
// Only looks at what the system says of itself: whether a mount would work is known by trying.
// for_others: with -o allow_other.
std::string why_fuse_is_refused(bool for_others);

}  // namespace plainfs
