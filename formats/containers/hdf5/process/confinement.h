// What libhdf5's process may do, once it is started: read through descriptors that it is given, ask for
// memory up to a limit, and answer. Where the library is made to do something else by the bytes of a file,
// the system refuses.
#pragma once

#include <string>

namespace plainfs::hdf5 {

// For good. Paths may still be looked at (stat, readlink), because the library looks beside what a file is a
// link to; nothing can be opened, run, written or connected. Why that could not be had, or empty.
std::string confine();

// Closes every descriptor but the standard streams and this one.
void keep_only_socket(int socket);

// Makes the process end within seconds after the one that started it, also where the library never returns,
// and only then by what a terminal sends.
void end_with_parent();

}  // namespace plainfs::hdf5
