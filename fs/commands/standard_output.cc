#include "fs/commands/standard_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "formats/core/base/descriptor.h"
#include "fs/command_line/exit_code.h"

namespace plainfs {
namespace {

Failure not_written(int error) {
  return {kNotWritten, fmt::format("standard output: {}", std::strerror(error))};
}

}  // namespace

bool write_out(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return true;
  if (errno == EPIPE) return false;
  throw not_written(errno);
}

bool write_out(const Slices& slices) {
  for (const iovec& part : slices.parts)
    if (!write_out(std::string_view(static_cast<const char*>(part.iov_base), part.iov_len))) return false;
  return true;
}

void finish_output() {
  if (std::fflush(stdout) != 0 && errno != EPIPE) throw not_written(errno);
  if (std::ferror(stdout) != 0)
    throw Failure(kNotWritten, "standard output: could not be written completely");
}

}  // namespace plainfs
