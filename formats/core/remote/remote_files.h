// The listing of objects below a location, as the service reports it.
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

// A listing. Thread-safe.
class RemoteListing {
 public:
  virtual ~RemoteListing() = default;
  // Returns the entries directly in the folder at `location`, by name; none if it does not exist.
  virtual std::vector<Entry> list(const std::string& location) = 0;
  // Lists like list(), but gives up after `most` entries of a folder that was not listed before, and returns
  // nullopt.
  virtual std::optional<std::vector<Entry>> list_few(const std::string& location, size_t most) = 0;
  // Information about an object from earlier listings.
  struct Known {
    EntryKind kind;
    Version version;  // of a file; without an ETag only the size is known
  };
  virtual std::optional<Known> known(const std::string& location) = 0;
};

// An object of a server as a File. Its bytes are fetched in blocks of 64 KiB. For sequential reads, blocks
// are fetched ahead of the reader in ranges that grow to 8 MiB, many at once. Ranges announced with will_read
// are joined into such ranges too.
class RemoteFile : public File {
 public:
  // Creates the file of an object with a known version. first: has fetched its first bytes; may be null.
  // disk: keeps its blocks; may be null. is_store: it is a whole store, not one of many objects. bytes_read:
  // counts the bytes read; may be null, else must outlive this object.
  RemoteFile(std::shared_ptr<RemoteObject> object, std::shared_ptr<RangeFetch> first, DiskBlocksPtr disk,
             std::shared_ptr<BlockPool> pool, bool is_store, std::atomic<uint64_t>* bytes_read);
  ~RemoteFile() override;

  bool is_remote() const override { return true; }
  void will_read(std::span<const ByteRange> ranges) const override;
  void check_unchanged() const override { pooled_->object->check_unchanged(); }

  // Returns a text that identifies the version that is read; nullopt if the server does not guarantee that
  // versions differ (RFC 9110, section 8.8.1: strong validators).
  std::optional<std::string> stamp() const;

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override;

  const std::shared_ptr<BlockPool> pool_;
  const std::unique_ptr<PooledObject> pooled_;
  std::atomic<uint64_t>* const bytes_read_;
};

// Returns the version that a stamp() of an earlier session identified; nullopt if the text is not such a
// stamp.
std::optional<Version> version_of_stamp(const std::string& stamp);

// Opens a KeyStore of the objects below the URL `location`. Opens its objects through `sources`. `sources`
// and `listing` must outlive it. A null listing means that the service lists nothing.
KeyStorePtr open_remote_folder(const std::string& location, Sources& sources, RemoteListing* listing);

}  // namespace plainfs::remote
