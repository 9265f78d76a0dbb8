// What objects a service says there are below a location.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/base/file.h"
#include "formats/core/base/key_store.h"
#include "formats/core/base/sources.h"
#include "formats/core/remote/block_pool.h"
#include "formats/core/remote/remote_object.h"

namespace plainfs::remote {

// Thread-safe.
class Listing {
 public:
  virtual ~Listing() = default;
  // What is directly in the folder at location, by name; nothing in one that is not there.
  virtual std::vector<Entry> list(const std::string& location) = 0;
  // What is known of the object at location by what was listed so far: nullopt where that says nothing.
  struct Known {
    EntryKind kind;
    Version version;  // of a file; one without an ETag says nothing but the size
  };
  virtual std::optional<Known> known(const std::string& location) = 0;
};

// An object of a server as a File. Its bytes are fetched in blocks of 64 KiB. What is read in sequence is
// fetched ahead of the reader, in ranges that grow to 8 MiB, many at once; what is told to be read soon
// (will_read) is joined into such ranges too.

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

// What lies below a URL as a KeyStore.

// Its objects are opened through sources, which outlives it, as does listing; null: the service lists
// nothing.
KeyStorePtr open_remote_folder(const std::string& location, Sources& sources, Listing* listing);

}  // namespace plainfs::remote
