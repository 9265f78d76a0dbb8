// Bytes under keys ("a/zarr.json", "a/c/0/1"), where "/" makes folders: a folder of this machine, a zip file,
// a prefix of a server elsewhere. Immutable and safe to use from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/base/error.h"

namespace plainfs {

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

// Bytes that are at hand.
class MemoryValue : public Value {
 public:
  explicit MemoryValue(Bytes bytes) : bytes_(std::move(bytes)) {}
  uint64_t size() const override { return bytes_.size(); }
  Bytes read(uint64_t offset, uint64_t size) const override {
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      throw damaged("{} bytes at {} are beyond the end at {}", size, offset, bytes_.size());
    const auto first = bytes_.begin() + static_cast<ptrdiff_t>(offset);
    return Bytes(first, first + static_cast<ptrdiff_t>(size));
  }
  Bytes read_all() const override { return bytes_; }

 private:
  const Bytes bytes_;
};

// Throws damaged where there are more bytes than belong at a location or under a key.
inline void check_is_small(const std::string& place, uint64_t bytes, uint64_t most_bytes) {
  if (bytes > most_bytes) throw damaged("{}: has {} bytes, expected at most {}", place, bytes, most_bytes);
}

// What is at a location, or under a key. other: a socket, a device. In a listing nothing is a link that leads
// nowhere.
enum class EntryKind { nothing, file, folder, other };

struct Entry {
  std::string name;
  EntryKind kind;
};

class KeyStore {
 public:
  explicit KeyStore(std::string location) : location_(std::move(location)) {}
  virtual ~KeyStore() = default;
  KeyStore(const KeyStore&) = delete;
  KeyStore& operator=(const KeyStore&) = delete;

  // Of the folder, or of the file that holds it all.
  const std::string& location() const { return location_; }
  // Whether each question costs a round trip, so that what one document says of many others is asked first.
  virtual bool is_remote() const { return false; }
  // Whether location() is a file that holds all keys.
  virtual bool is_one_file() const { return false; }
  // Whether list() and folders() can be answered, and has_folder() by more than the keys that were met.
  virtual bool is_listable() const { return true; }
  // Null where the store has no such key. Every other reason why it cannot be opened is an Error, a folder of
  // that name included.
  virtual ValuePtr open(const std::string& key) const = 0;
  // The same, for a key that is read again and again while the store is open. Throws changed where it has
  // come, changed or gone since the store was opened, as far as the times of files tell.
  virtual ValuePtr open_unchanged(const std::string& key) const { return open(key); }
  // Whether keys begin with "FOLDER/", or the folder is there without any.
  virtual bool has_folder(const std::string& folder) const = 0;
  // What is directly inside a folder ("" = the root), by name in byte order; a link to a folder that it lies
  // in is left out. Throws unreadable where it cannot be listed.
  virtual std::vector<Entry> list(const std::string& folder) const = 0;
  // Calls visit for each of list(), in any order, until it returns false. Takes no more memory than that.
  virtual void visit(const std::string& folder, const std::function<bool(Entry)>& visit) const {
    for (Entry& entry : list(folder))
      if (!visit(std::move(entry))) return;
  }
  // The names of the folders among list(), which may be had for less: a folder of chunks has a million files.
  virtual std::vector<std::string> folders(const std::string& folder) const = 0;
  // All bytes of a key; throws damaged where they are more than most_bytes.
  std::optional<Bytes> read_if_exists(const std::string& key, uint64_t most_bytes) const {
    const ValuePtr value = open(key);
    if (!value) return std::nullopt;
    check_is_small(key, value->size(), most_bytes);
    return value->read_all();
  }

 private:
  const std::string location_;
};
using KeyStorePtr = std::shared_ptr<const KeyStore>;

}  // namespace plainfs
