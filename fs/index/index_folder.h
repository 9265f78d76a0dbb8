// The folder that holds the index, one file a store: where it is, how files get into it and when they go. It
// is a cache of the user's: whatever cannot be read or written there is done without.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "formats/core/base/bytes.h"
#include "fs/index/index_file.h"

namespace plainfs {

// Thread-safe, also against other processes that use the same folder.
class IndexFolder {
 public:
  static constexpr uint64_t kMostBytes = uint64_t{1} << 30;

  // most_bytes: of all files in it; when one is written, the others go, the one used longest ago first, until
  // they are no more.
  explicit IndexFolder(std::string path, uint64_t most_bytes = kMostBytes)
      : path_(std::move(path)), most_bytes_(most_bytes) {}

  // $XDG_CACHE_HOME/plainfs, else $HOME/.cache/plainfs; empty where neither is an absolute path.
  static std::string default_path();

  const std::string& path() const { return path_; }

  // Of the store whose key it is (index_file.h); name: what its file begins with, for people. Null where
  // there is none. Throws what IndexFile::open throws.
  std::unique_ptr<const IndexFile> open(std::string_view name, std::string_view key) const;
  // In place of what is there, in one step. Makes the folder where it is not there. Throws unreadable where
  // the system refuses; then nothing is left of it.
  void write(std::string_view name, std::string_view key, ByteSpan bytes) const;

  // What is there of that store, if anything. Throws unreadable where the system refuses.
  void remove(std::string_view name, std::string_view key) const;

 private:
  std::string file_of(std::string_view name, std::string_view key) const;
  void make_folder() const;
  void make_room(uint64_t bytes) const;

  const std::string path_;
  const uint64_t most_bytes_;
};
using IndexFolderPtr = std::shared_ptr<const IndexFolder>;

}  // namespace plainfs
