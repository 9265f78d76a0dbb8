#include "fs/serve/http/token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "formats/core/base/descriptor.h"
#include "fs/command_line/exit_code.h"

namespace plainfs::serve {
namespace {

constexpr size_t kLeastWord = 8, kMaxWord = 128;

bool is_word(const std::string& text) {
  return text.size() >= kLeastWord && text.size() <= kMaxWord &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
}

[[noreturn]] void fail(const std::string& path, int error) {
  throw Failure(kUsage, fmt::format("--token {}: {}", path, std::strerror(error)));
}

// Creates the file with the token in it atomically, as another serve may start meanwhile.
void make_file(const std::string& path, const std::string& word) {
  const std::string temporary = fmt::format("{}.{}", path, ::getpid());
  const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.number() < 0) fail(path, errno);
  const std::string line = word + "\n";
  const bool is_written =
      ::write(file.number(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int written_error = is_written ? 0 : errno;
  const bool is_linked = is_written && (::link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST);
  const int linked_error = errno;
  ::unlink(temporary.c_str());
  if (!is_written) fail(path, written_error);
  if (!is_linked) fail(path, linked_error);
}

std::string first_line(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return {};
  char text[kMaxWord + 2];
  const ssize_t size = ::read(file.number(), text, sizeof text);
  if (size < 0) fail(path, errno);
  const std::string all(text, static_cast<size_t>(size));
  return all.substr(0, all.find_first_of("\r\n"));
}

}  // namespace

std::string token_of(const std::string& given, const std::function<std::string()>& random) {
  if (given.empty()) return random();
  if (given == "none") return {};
  std::string word = given;
  if (given.find('/') != std::string::npos) {
    if (::access(given.c_str(), F_OK) != 0 && errno == ENOENT) make_file(given, random());
    if (::access(given.c_str(), R_OK) != 0) fail(given, errno);
    word = first_line(given);
  }
  if (!is_word(word))
    throw Failure(
        kUsage,
        fmt::format(
            "--token {}: expected {} to {} letters, digits, - and _, a file with a / in its path, or none",
            given, kLeastWord, kMaxWord));
  return word;
}

}  // namespace plainfs::serve
