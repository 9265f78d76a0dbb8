#include "fs/commands/plan/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "formats/core/base/descriptor.h"
#include "fs/commands/part_file.h"

namespace plainfs {
namespace {

// Creates a new file, and never opens an existing one, which may be a link to another file. An existing one
// was left by an earlier process with this number, or was put there, and is removed.
Descriptor make_new(const Descriptor& folder, const std::string& name) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Descriptor file(::openat(folder.number(), name.c_str(), kFlags, 0666));
  if (file.number() < 0 && errno == EEXIST && ::unlinkat(folder.number(), name.c_str(), 0) == 0)
    file = Descriptor(::openat(folder.number(), name.c_str(), kFlags, 0666));
  return file;
}

}  // namespace

std::string unfinished_name(const std::string& name) {
  // Unique to this process: the host name distinguishes machines.
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  return fmt::format(".{}.{}.plainfs-part", short_digest(fmt::format("{}\n{}", name, host)), ::getpid());
}

bool replace_file(const Descriptor& folder, const std::string& name, std::string_view text) {
  const std::string temporary = unfinished_name(name);
  const Descriptor file = make_new(folder, temporary);
  if (file.number() < 0) return false;
  if (write_all(file.number(), text) && ::fsync(file.number()) == 0 &&
      ::renameat(folder.number(), temporary.c_str(), folder.number(), name.c_str()) == 0)
    return true;
  const int error = errno;
  ::unlinkat(folder.number(), temporary.c_str(), 0);
  errno = error;
  return false;
}

}  // namespace plainfs
