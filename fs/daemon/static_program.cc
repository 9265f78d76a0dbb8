// Replacements for calls of a statically linked C library that would load parts of the system's, which may
// be of another version, or absent.
#include <nss.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "fs/daemon/daemon.h"

namespace plainfs {

void look_up_names_without_libraries() {
  for (const char* const database : {"passwd", "group", "services", "protocols", "networks"})
    ::__nss_configure_lookup(database, "files");
  ::__nss_configure_lookup("hosts", "files dns");
}

}  // namespace plainfs

// The linker gives libfuse this in place of execvp(), which is called real_execvp then. Systems that have
// only fuse 2 have its helper, which takes the same arguments.
extern "C" int real_execvp(const char* file, char* const* arguments) __asm__("__real_execvp");
extern "C" int wrapped_execvp(const char* file, char* const* arguments) __asm__("__wrap_execvp");

extern "C" int wrapped_execvp(const char* file, char* const* arguments) {
  const int result = real_execvp(file, arguments);
  if (errno == ENOENT && std::strcmp(file, "fusermount3") == 0) return real_execvp("fusermount", arguments);
  return result;
}
