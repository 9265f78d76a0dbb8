#include "formats/core/base/descriptor.h"

#include <fcntl.h>
#include <sys/mman.h>

namespace plainfs {

std::optional<std::string> file_content(const std::string& path, size_t max) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.number() < 0 ? std::nullopt : read_rest(file.number(), max);
}

SharedMemory SharedMemory::make(size_t size) {
#ifdef __linux__
  Descriptor file(::memfd_create("plainfs", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // Sealed, because a read past the end of a truncated file would end the process with a signal.
  if (file.number() < 0 || ::ftruncate(file.number(), static_cast<off_t>(size)) != 0 ||
      ::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return {};
  return of(std::move(file), size);
#else
  static_cast<void>(size);
  return {};
#endif
}

SharedMemory SharedMemory::of(Descriptor descriptor, size_t size) {
  SharedMemory memory;
  void* const start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number(), 0);
  if (start == MAP_FAILED) return memory;
  memory.descriptor_ = std::move(descriptor);
  memory.bytes_ = {static_cast<std::byte*>(start), size};
  return memory;
}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace plainfs
