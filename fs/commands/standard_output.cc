#include "fs/commands/standard_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "fs/exit_code.h"

namespace plainfs {
namespace {

Failure not_written(int error) {
  return {kNotWritten, fmt::format("standard output: {}", std::strerror(error))};
}

}  // namespace

bool write_out(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return false;
    if (written < 0) throw not_written(errno);
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool write_out(const Slices& slices) {
  for (const iovec& part : slices.parts)
    if (!write_out(std::string_view(static_cast<const char*>(part.iov_base), part.iov_len))) return false;
  return true;
}

void finish_output() {
  if (std::fflush(stdout) != 0 && errno != EPIPE) throw not_written(errno);
  if (std::ferror(stdout) != 0) throw Failure(kNotWritten, "standard output: not all of it was written");
}

}  // namespace plainfs
