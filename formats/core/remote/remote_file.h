// An object of a server as a File. Its bytes are fetched in blocks of 64 KiB. What is read in sequence is
// fetched ahead of the reader, in ranges that grow to 8 MiB, many at once; what is told to be read soon
// (will_read) is joined into such ranges too.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "formats/core/base/file.h"
#include "formats/core/remote/block_pool.h"

namespace plainfs::remote {

class RemoteFile : public File {
 public:
  // Of an object whose version is known. first: has fetched its first bytes; may be null. disk: keeps its
  // blocks; may be null. bytes_read: counts what is read; may be null, else outlives this.
  RemoteFile(std::shared_ptr<RemoteObject> object, std::shared_ptr<RangeFetch> first, DiskBlocksPtr disk,
             std::shared_ptr<BlockPool> pool, std::atomic<uint64_t>* bytes_read);
  ~RemoteFile() override;

  bool is_remote() const override { return true; }
  void will_read(std::span<const ByteRange> ranges) const override;
  void check_unchanged() const override { pooled_->object->check_unchanged(); }

  // Of the version that is read: another text for every other one; nullopt where the server does not promise
  // that (RFC 9110, section 8.8.1: strong validators).
  std::optional<std::string> stamp() const;

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override;

  const std::shared_ptr<BlockPool> pool_;
  const std::unique_ptr<PooledObject> pooled_;
  std::atomic<uint64_t>* const bytes_read_;
};

}  // namespace plainfs::remote
