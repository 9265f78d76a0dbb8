#include "fs/commands/standard_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fs/exit_code.h"

namespace plainfs {

bool write_out(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return false;
    if (written < 0) throw Failure(kUsage, fmt::format("standard output: {}", std::strerror(errno)));
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool write_out(const Slices& slices) {
  for (const iovec& part : slices.parts)
    if (!write_out(std::string_view(static_cast<const char*>(part.iov_base), part.iov_len))) return false;
  return true;
}

}  // namespace plainfs
