// Bytes under keys ("a/zarr.json", "a/c/0/1"), with "/" between folders: a folder of this machine, a zip
// file, a prefix on a remote server. Immutable and thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/base/error.h"
#include "formats/core/base/file.h"

namespace plainfs {

// The bytes of one key. If the store has a checksum of them, it is verified before any byte is returned.
class Value {
 public:
  virtual ~Value() = default;
  virtual uint64_t size() const = 0;
  // Returns exactly `size` bytes from `offset`. Throws damaged if the value ends before that.
  virtual Bytes read(uint64_t offset, uint64_t size) const = 0;
  virtual Bytes read_all() const = 0;
};
using ValuePtr = std::shared_ptr<const Value>;

// A value in memory.
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

// A value that is a file.
class FileValue : public Value {
 public:
  explicit FileValue(FilePtr file) : file_(std::move(file)) {}
  uint64_t size() const override { return file_->size(); }
  Bytes read(uint64_t offset, uint64_t size) const override { return file_->read_at(offset, size); }
  Bytes read_all() const override { return read(0, size()); }

 private:
  const FilePtr file_;
};

// Throws damaged if a location or key has more than max_bytes.
inline void check_is_small(const std::string& place, uint64_t bytes, uint64_t max_bytes) {
  if (bytes > max_bytes) throw damaged("{}: has {} bytes, expected at most {}", place, bytes, max_bytes);
}

// The kind of entry at a location or under a key. other: a socket or a device. A listing reports a dangling
// link as `nothing`.
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

  // Returns the location of the folder, or of the file that contains all keys.
  const std::string& location() const { return location_; }
  // Returns whether each request costs a round trip. Callers then first read documents that describe many
  // others.
  virtual bool is_remote() const { return false; }
  // Returns whether location() is a file that contains all keys.
  virtual bool is_one_file() const { return false; }
  // Returns whether list() and folders() work, and has_folder() knows more than the keys seen so far.
  virtual bool is_listable() const { return true; }
  // Opens a key. Returns null if the store does not have it. Throws an Error if it cannot be opened for any
  // other reason, for example because it is a folder.
  virtual ValuePtr open(const std::string& key) const = 0;
  // Opens a key that is read repeatedly while the store is open. Throws changed if it appeared, changed or
  // vanished since the store was opened, as far as file times show.
  virtual ValuePtr open_unchanged(const std::string& key) const { return open(key); }
  // Announces that the values below `folder` have about this many bytes at most. A server can then be asked
  // for a whole value at once.
  virtual void expect_sizes(const std::string& /*folder*/, uint64_t /*bytes*/) const {}
  // Returns whether keys begin with "FOLDER/", or `folder` exists and is empty.
  virtual bool has_folder(const std::string& folder) const = 0;
  // Returns the entries directly inside `folder` ("" = the root), sorted by name in byte order. Omits a link
  // to a folder that contains it. Throws unreadable if the folder cannot be listed.
  virtual std::vector<Entry> list(const std::string& folder) const = 0;
  // Calls `visit` for each entry of list(), in any order, until it returns false. Uses no more memory than
  // list().
  virtual void visit(const std::string& folder, const std::function<bool(Entry)>& visit) const {
    for (Entry& entry : list(folder))
      if (!visit(std::move(entry))) return;
  }
  // Returns the names of the folders in list(). This can be cheaper: a folder of chunks has a million files.
  virtual std::vector<std::string> folders(const std::string& folder) const {
    std::vector<std::string> names;
    visit(folder, [&](Entry entry) {
      if (entry.kind == EntryKind::folder) names.push_back(std::move(entry.name));
      return true;
    });
    std::sort(names.begin(), names.end());
    return names;
  }
  // Returns all bytes of a key, or nullopt if there is no such key. Throws damaged if it has more than
  // max_bytes.
  std::optional<Bytes> read_if_exists(const std::string& key, uint64_t max_bytes) const {
    const ValuePtr value = open(key);
    if (!value) return std::nullopt;
    check_is_small(key, value->size(), max_bytes);
    return value->read_all();
  }

 private:
  const std::string location_;
};
using KeyStorePtr = std::shared_ptr<const KeyStore>;

}  // namespace plainfs
