// Blocks of objects that are kept on a disk of this machine for later sessions (-o remote_cache): a folder
// with a file for each object. Kept blocks are used only if the server still names the version of the object
// that they belong to.
//
// The format, version 1 (numbers are little-endian):
//   16 bytes  "plainfs blocks 1"
//   u32, u32  bytes of the version, its CRC-32
//   version   "SIZE\nETAG\nLAST-MODIFIED"
//   from byte 4096 on, for each block: u32 CRC-32 of its bytes, u32 1 if it is present
//   from the next multiple of 4096 on, the blocks, each at its offset in the object: the file is sparse
//
// A user that can write the files can make plainfs show anything, so only files of the current user are read.
// Several programs may use a folder at once: they write the same bytes for the same version. A block that was
// written only in part fails its checksum and is fetched again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/bytes.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/remote/remote_object.h"

namespace plainfs::remote {

class DiskCache;

// The kept blocks of one version of an object. Thread-safe. If the disk fails, blocks are fetched without it.
class DiskBlocks {
 public:
  DiskBlocks(std::shared_ptr<DiskCache> cache, Descriptor file, Version version);
  ~DiskBlocks();

  bool has(uint64_t block) const;
  // Reads a block. Returns false if it is absent or damaged; has() is then false from then on. out: has the
  // size of the block.
  bool read(uint64_t block, std::span<std::byte> out);
  void write(uint64_t block, ByteSpan bytes);

 private:
  void read_entries();

  const std::shared_ptr<DiskCache> cache_;
  const Descriptor file_;
  const Version version_;
  mutable Mutex mutex_;
  std::vector<bool> exists_ GUARDED_BY(mutex_);
  bool is_full_ GUARDED_BY(mutex_) = false;  // the disk has no room left
};
using DiskBlocksPtr = std::shared_ptr<DiskBlocks>;

// The folder of kept blocks. Thread-safe. Must be owned by a shared_ptr.
class DiskCache : public std::enable_shared_from_this<DiskCache> {
 public:
  // max_bytes: the limit on disk for all its files. Above it, objects that no process has open are deleted,
  // least recently opened first. Creates the folder and its parents. Throws unreadable if files cannot be
  // created or locked in it.
  DiskCache(std::string folder, uint64_t max_bytes);

  // Returns how many objects with kept blocks can be open at once.
  static size_t max_open();

  // Returns the version that was kept last, or nullopt. address: from Origin::address.
  std::optional<Version> version_of(const std::string& address);
  // Opens the blocks of this version, replacing any other version. Returns null if they cannot be kept or
  // must not be: versions without a strong ETag may have different contents (RFC 9110, section 8.8.1), and
  // the disk may be full.
  DiskBlocksPtr open(const std::string& address, const Version& version);

  // Returns whether `bytes` more may be written. Call it before writing.
  bool make_room(uint64_t bytes);
  void opened() { open_.fetch_add(1, std::memory_order_relaxed); }
  void closed() { open_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::string path_of(const std::string& address) const;
  struct CachedObject;
  std::optional<CachedObject> kept_at(const std::string& address);
  DiskBlocksPtr hold(CachedObject kept);
  void look() REQUIRES(mutex_);

  const std::string folder_;
  const uint64_t max_bytes_;
  std::atomic<size_t> open_{0};

  Mutex mutex_;
  bool was_looked_at_ GUARDED_BY(mutex_) = false, is_full_ GUARDED_BY(mutex_) = false;
  uint64_t written_ GUARDED_BY(mutex_) = 0;  // since the folder was last examined
};

}  // namespace plainfs::remote
