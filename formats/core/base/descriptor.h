// A file descriptor that its last owner closes.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace plainfs {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int number() const { return number_; }  // -1: none
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

// The functions below read or write everything, in as many calls as that takes: signals interrupt calls, and
// the system may transfer less than requested.

// Writes all of `bytes`. Returns false, with errno, if the system refuses; part of the bytes may then be
// written.
inline bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
      continue;
    }
    if (written == 0) errno = EIO;
    if (errno != EINTR) return false;
  }
  return true;
}

inline bool write_all_at(int file, uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written > 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
      offset += static_cast<uint64_t>(written);
      continue;
    }
    if (written == 0) errno = EIO;
    if (errno != EINTR) return false;
  }
  return true;
}

// Reads up to `size` bytes. Returns their number, which is less than `size` only at the end of the file;
// nullopt, with errno, if the system refuses.
inline std::optional<size_t> read_all_at(int file, uint64_t offset, char* out, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(file, out + done, size - done, static_cast<off_t>(offset + done));
    if (got == 0) break;
    if (got > 0)
      done += static_cast<size_t>(got);
    else if (errno != EINTR)
      return std::nullopt;
  }
  return done;
}

// Returns the rest of a file, from its current position, but at most `max` bytes. Returns nullopt, with
// errno, if the system refuses.
inline std::optional<std::string> read_rest(int file, size_t max = SIZE_MAX) {
  std::string text;
  char piece[1 << 14];
  while (text.size() < max) {
    const ssize_t got = ::read(file, piece, std::min(sizeof piece, max - text.size()));
    if (got == 0) break;
    if (got > 0)
      text.append(piece, static_cast<size_t>(got));
    else if (errno != EINTR)
      return std::nullopt;
  }
  return text;
}

// Returns the content of the file at `path`, but at most `max` bytes. Returns nullopt, with errno, if the
// system refuses to open it or to read all of it: a file of /proc cannot be read once its process has ended.
std::optional<std::string> file_content(const std::string& path, size_t max = SIZE_MAX);

// Waits until `child` has ended and returns its status (waitpid); -1 if it is not a child of this process.
inline int wait_for_end(pid_t child) {
  int status = -1;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Memory that this process shares with a helper process. The other process may change it at any time, so copy
// data once and check the copy.
class SharedMemory {
 public:
  SharedMemory() = default;  // no memory
  // Creates zeroed memory of a fixed size. The result is empty if the system does not support it (it is
  // specific to Linux) or refuses it.
  static SharedMemory make(size_t size);
  // Maps the memory of another process, which passed its descriptor. The result is empty if it cannot be
  // mapped.
  static SharedMemory of(Descriptor descriptor, size_t size);
  SharedMemory(SharedMemory&& other) noexcept
      : descriptor_(std::move(other.descriptor_)), bytes_(std::exchange(other.bytes_, {})) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    descriptor_ = std::move(other.descriptor_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~SharedMemory();

  std::span<std::byte> bytes() const { return bytes_; }  // empty: none
  int descriptor() const { return descriptor_.number(); }

 private:
  Descriptor descriptor_;
  std::span<std::byte> bytes_;
};

}  // namespace plainfs
