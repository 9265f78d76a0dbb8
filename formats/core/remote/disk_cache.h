// Blocks of objects that are kept on a disk of this machine for later sessions (-o remote_cache): a folder
// with a file for each object. What is kept is used only for the version of the object that the server names
// today.
//
// The format, version 1 (numbers are little-endian):
//   16 bytes  "plainfs blocks 1"
//   u32, u32  bytes of the version, its CRC-32
//   version   "SIZE\nETAG\nLAST-MODIFIED"
//   from byte 4096 on, of each block: u32 CRC-32 of its bytes, u32 1 where it is there
//   from the next multiple of 4096 on, the blocks, each as far from the first as it is in the object: the
//   file is sparse
//
// Who can write the files can make plainfs show anything, so only the user's own are read. Several programs
// may use a folder at once: what two of them write of the same version is the same. A block that was written
// in part fails its checksum, and is fetched again.
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

// Those of one version of an object. Thread-safe; what the disk cannot do is done without.
class DiskBlocks {
 public:
  DiskBlocks(std::shared_ptr<DiskCache> cache, Descriptor file, Version version);
  ~DiskBlocks();

  bool has(uint64_t block) const;
  // False where it is not there, or not as it was written; has() says so from then on. out: as long as the
  // block is.
  bool read(uint64_t block, std::span<std::byte> out);
  void write(uint64_t block, ByteSpan bytes);

 private:
  void look_what_is_there();

  const std::shared_ptr<DiskCache> cache_;
  const Descriptor file_;
  const Version version_;
  mutable Mutex mutex_;
  std::vector<bool> is_there_ GUARDED_BY(mutex_);
  bool is_full_ GUARDED_BY(mutex_) = false;  // the disk took no more
};
using DiskBlocksPtr = std::shared_ptr<DiskBlocks>;

// The folder. Thread-safe; held by a shared_ptr.
class DiskCache : public std::enable_shared_from_this<DiskCache> {
 public:
  // most_bytes: of the disk, of all its files; where they are more, the objects go that were opened longest
  // ago and that no process has open. Makes the folder, its parents too. Throws unreadable where files cannot
  // be made in it, or not locked.
  DiskCache(std::string folder, uint64_t most_bytes);

  // How many objects can be open at once, of which blocks are kept.
  static size_t most_open();

  // That was kept last; nullopt where nothing is. address: Origin::address.
  std::optional<Version> version_of(const std::string& address);
  // Of this version, in place of any other. Null where it cannot be kept, or must not be: versions without a
  // strong ETag may be those of several contents (RFC 9110, section 8.8.1), and the disk may be full.
  DiskBlocksPtr open(const std::string& address, const Version& version);

  // Before so many bytes more are written: whether they may be.
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
  const uint64_t most_bytes_;
  std::atomic<size_t> open_{0};

  Mutex mutex_;
  bool was_looked_at_ GUARDED_BY(mutex_) = false, is_full_ GUARDED_BY(mutex_) = false;
  uint64_t written_ GUARDED_BY(mutex_) = 0;  // since the folder was looked at
};

}  // namespace plainfs::remote
