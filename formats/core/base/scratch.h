// Space on a local disk for data of a session that do not fit in memory. The files have no name from the
// moment they are created: no other session reads them, and they vanish with the process.
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

// A file of a ScratchFolder. Thread-safe.
class ScratchFile {
 public:
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Appends `bytes` and returns their offset; nullopt if the folder is full or the system refuses.
  std::optional<uint64_t> append(ByteSpan bytes);
  // Throws unreadable if the bytes can no longer be read.
  void read(uint64_t offset, std::span<std::byte> out) const;

 private:
  friend ScratchFolder;
  ScratchFile(std::shared_ptr<ScratchFolder> folder, Descriptor file)
      : folder_(std::move(folder)), file_(std::move(file)) {}

  const std::shared_ptr<ScratchFolder> folder_;
  const Descriptor file_;
  std::atomic<uint64_t> end_{0};
};

// A folder of scratch files. Thread-safe. Must be owned by a shared_ptr.
class ScratchFolder : public std::enable_shared_from_this<ScratchFolder> {
 public:
  // path: created, if missing, with the first file. max_bytes: the limit for all its files in this process.
  // part_of_free: if above 0, they may also take up to 1 / part_of_free of the free space.
  ScratchFolder(std::string path, uint64_t max_bytes, uint64_t part_of_free = 0)
      : path_(std::move(path)), max_bytes_(max_bytes), part_of_free_(part_of_free) {}

  // Creates a file. Returns null if the system refuses.
  std::unique_ptr<ScratchFile> make();
  // Returns how many more bytes its files may take now.
  uint64_t room() const;

 private:
  friend ScratchFile;
  uint64_t max_bytes() const;
  bool take(uint64_t bytes);
  void give_back(uint64_t bytes) { held_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

  const std::string path_;
  const uint64_t max_bytes_;
  const uint64_t part_of_free_;
  std::atomic<uint64_t> held_bytes_{0};  // relaxed: a sum
};

}  // namespace plainfs
