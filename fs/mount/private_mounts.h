// A namespace of mounts of this process and its children alone (mount_namespaces(7)), for `plainfs run`: what
// is mounted in it nobody else sees, and it is gone with the last of them, however they end.
#pragma once

namespace plainfs {

// By root's right, else by a user namespace of one's own (user_namespaces(7)), in which one stays who one is.
// Throws Failure(kMountFailed), with what to do, where the system allows neither. Requires: one thread only.
void enter_private_mounts();

}  // namespace plainfs
