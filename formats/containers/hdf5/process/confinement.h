// The confinement of libhdf5's process. Once started, it can only read through the descriptors it was given,
// allocate memory up to a limit, and answer. If the bytes of a file make the library do anything else, the
// system refuses.
#pragma once

#include <string>

namespace plainfs::hdf5 {

// Confines the process for good. Paths may still be examined (stat, readlink), because the library looks
// beside the target of a file that is a link. Nothing can be opened, run, written or connected. Returns why
// confinement failed, or empty.
std::string confine();

// Closes every descriptor but the standard streams and `socket`.
void keep_only_socket(int socket);

// Makes the process end within seconds of its parent's end, even if the library never returns. It ignores
// signals that a terminal sends.
void end_with_parent();

}  // namespace plainfs::hdf5
