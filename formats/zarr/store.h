// A Zarr store: a map of keys ("a/zarr.json", "a/c/0/1") to bytes, kept in a directory or in a zip file.
// Immutable and safe to use from any thread. What is read is counted in Context::counters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/base/bytes.h"
#include "formats/model/context.h"

namespace plainfs::zarr {

// The bytes of one key. Where the store keeps a checksum of them, nothing is given before it was verified.
class Value {
 public:
  virtual ~Value() = default;
  virtual uint64_t size() const = 0;
  // Exactly size bytes from offset on. Throws damaged where the value ends before that.
  virtual Bytes read(uint64_t offset, uint64_t size) const = 0;
  virtual Bytes read_all() const = 0;
};
using ValuePtr = std::shared_ptr<const Value>;

class KeyStore {
 public:
  explicit KeyStore(std::string path) : path_(std::move(path)) {}
  virtual ~KeyStore() = default;
  // On disk: of the directory or the zip file.
  const std::string& path() const { return path_; }
  // Null where the store has no such key. Every other reason why it cannot be opened is an Error, a folder of
  // that name included.
  virtual ValuePtr open(const std::string& key) const = 0;
  // The same, for a chunk. Throws changed where the key has come, changed or gone since the store was opened,
  // as far as the times of files tell.
  virtual ValuePtr open_unchanged(const std::string& key) const { return open(key); }
  virtual bool has_folder(const std::string& folder) const = 0;
  // The names of the folders directly inside a folder ("" = the root), in byte order.
  virtual std::vector<std::string> folders(const std::string& folder) const = 0;

  // A metadata document. Throws damaged where it is larger than any real one.
  std::optional<Bytes> read_document(const std::string& key) const;

 private:
  const std::string path_;
};

// Throws unreadable where the directory cannot be listed later on; opening it reads nothing.
std::unique_ptr<const KeyStore> open_directory_store(const std::string& path, Context& context);

// Throws damaged where the central directory cannot be read. Where the archive holds one folder and nothing
// beside it, keys are taken inside that folder.
std::unique_ptr<const KeyStore> open_zip_store(const std::string& path, Context& context);

}  // namespace plainfs::zarr
