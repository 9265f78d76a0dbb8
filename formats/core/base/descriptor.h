// A descriptor of the system that is closed by its last owner.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

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

// Reading and writing all of something, however many calls that takes: signals interrupt them, and the system
// may do less than it was asked for.

// False, with errno, where the system refuses; some of it may be written then.
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

// How many bytes were read: fewer than size at the end of the file alone. nullopt, with errno, where the
// system refuses.
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

// The rest of a file, from where it stands. nullopt, with errno, where the system refuses.
inline std::optional<std::string> read_rest(int file) {
  std::string text;
  char piece[1 << 14];
  for (;;) {
    const ssize_t got = ::read(file, piece, sizeof piece);
    if (got == 0) return text;
    if (got > 0)
      text.append(piece, static_cast<size_t>(got));
    else if (errno != EINTR)
      return std::nullopt;
  }
}

// The status of a child of this process (waitpid), when it has ended; -1 where it is none.
inline int wait_for_end(pid_t child) {
  int status = -1;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Memory that this process and one beside it see. What the other writes there may change at any time: it is
// copied once, and looked at afterwards.

class SharedMemory {
 public:
  SharedMemory() = default;  // none
  // Zeros, of a size that cannot be changed. None where the system has no such memory (it is Linux's) or
  // refuses it.
  static SharedMemory make(size_t size);
  // That of another process, which handed the descriptor over. None where it cannot be had.
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
