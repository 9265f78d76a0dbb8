// Memory that this process and one beside it see. What the other writes there may change at any time: it is
// copied once, and looked at afterwards.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "formats/core/base/descriptor.h"

namespace plainfs {

class SharedMemory {
 public:
  SharedMemory() = default;  // none
  // Zeros, of a size that nobody can change. None where the system has no such memory (it is Linux's) or
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
