#include <poll.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>

#include "cache/request.h"
#include "fs/commands/commands.h"
#include "fs/commands/standard_output.h"
#include "fs/commands/walk.h"
#include "fs/exit_code.h"
#include "fs/session.h"
#include "fs/store_path.h"
#include "fs/text/text_file.h"

namespace plainfs {
namespace {

// Bytes [first, last], last included; both from the start of the file.
struct Range {
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;
};

uint64_t byte_number(std::string_view text, std::string_view range) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Failure(kUsage, fmt::format("--range {}: not FIRST-LAST", range));
  }
  return value;
}

Range parse_range(std::string_view text) {
  Range range;
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) throw Failure(kUsage, fmt::format("--range {}: not FIRST-LAST", text));
  range.first = byte_number(text.substr(0, dash), text);
  if (dash + 1 < text.size()) range.last = byte_number(text.substr(dash + 1), text);
  if (range.first > range.last) throw Failure(kUsage, fmt::format("--range {}: ends before it begins", text));
  return range;
}

// What is behind a pipe. Once it is closed, as by head, nothing more is read or measured for it.
class PipeReader : public Request {
  bool cancelled() const override {
    pollfd out{STDOUT_FILENO, 0, 0};
    return ::poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
  }
};

bool print_file(Filesystem& filesystem, Inode inode, Range range) {
  const OpenFile file = filesystem.open(inode);
  if (range.first != 0) filesystem.status(inode);
  for (uint64_t at = range.first; at <= range.last;) {
    const uint64_t left = range.last - at;
    const size_t piece = at == 0 ? kTextBeginning : kPiece;
    const size_t wanted = left < piece ? static_cast<size_t>(left) + 1 : piece;
    const Slices slices = filesystem.read(file, at, wanted);
    if (!write_out(slices)) return false;
    const bool is_end = slices.size() < wanted;
    // A size that took long to find out is kept for the next time.
    if (at == 0 && (is_end || left >= piece)) filesystem.status(inode);
    if (is_end) break;
    at += wanted;
  }
  return true;
}

}  // namespace

int cat_command(Arguments arguments) {
  const std::string range_text = take_value(arguments, "--range");
  const Range range = range_text.empty() ? Range() : parse_range(range_text);
  Options options = parse_options(arguments, kManyNames);
  split_store_path(options.names);
  if (options.names.size() == 1) check_exists(options.names[0]);
  if (options.names.size() < 2)
    throw Failure(kUsage, "cat: a store and a path in it are wanted: plainfs cat STORE PATH");
  options.store = options.names[0];
  Session session(options);
  Filesystem& filesystem = session.filesystem();
  const PipeReader reader;
  const Request::Scope scope(&reader);
  for (size_t i = 1; i < options.names.size(); ++i) {
    const std::string& path = options.names[i];
    try {
      const Inode inode = resolve_path(filesystem, path);
      if (filesystem.kind(inode) == FileKind::directory)
        throw Failure(kUsage, fmt::format("{}: is a directory; plainfs ls lists it",
                                          plain_path(path).empty() ? options.store : path));
      if (!print_file(filesystem, inode, range)) return kSuccess;
    } catch (const Cancelled&) {
      return kSuccess;
    } catch (const Error& error) {
      throw Failure(exit_code_of(error.code()),
                    fmt::format("{}: {}: {}", options.store, path, reason(error)));
    }
  }
  return kSuccess;
}

}  // namespace plainfs
