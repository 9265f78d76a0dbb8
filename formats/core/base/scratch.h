// Room on a disk of this machine for what a session has found out and has no room for in memory. Its files
// have no name from the moment they are made: no other session reads them, and they go with the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "formats/core/base/bytes.h"
#include "formats/core/base/descriptor.h"

namespace plainfs {

class ScratchFolder;

// Thread-safe.
class ScratchFile {
 public:
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Where the bytes stand from now on; nullopt where the folder may hold no more or the system refuses.
  std::optional<uint64_t> append(ByteSpan bytes);
  // Throws unreadable where they are not there any more.
  void read(uint64_t offset, std::span<std::byte> out) const;

 private:
  friend ScratchFolder;
  ScratchFile(std::shared_ptr<ScratchFolder> folder, Descriptor file)
      : folder_(std::move(folder)), file_(std::move(file)) {}

  const std::shared_ptr<ScratchFolder> folder_;
  const Descriptor file_;
  std::atomic<uint64_t> end_{0};
};

// Thread-safe; held by a shared_ptr.
class ScratchFolder : public std::enable_shared_from_this<ScratchFolder> {
 public:
  // path: made where it is not there, when the first file is. most_bytes: of all its files of this process.
  ScratchFolder(std::string path, uint64_t most_bytes) : path_(std::move(path)), most_bytes_(most_bytes) {}

  // Null where the system refuses.
  std::unique_ptr<ScratchFile> make();
  // How many bytes more its files may take now.
  uint64_t room() const;

 private:
  friend ScratchFile;
  bool take(uint64_t bytes);
  void give_back(uint64_t bytes) { held_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

  const std::string path_;
  const uint64_t most_bytes_;
  std::atomic<uint64_t> held_bytes_{0};  // relaxed: a sum
};

}  // namespace plainfs
