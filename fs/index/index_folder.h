// The folder of the index, with one file per store: its place, and how files are added and removed. It is the
// user's cache: if a file cannot be read or written, plainfs works without it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "formats/core/base/bytes.h"
#include "formats/core/base/descriptor.h"
#include "fs/index/index_file.h"

namespace plainfs {

// An index folder. Thread-safe, also between processes that use the same folder.
class IndexFolder {
 public:
  static constexpr uint64_t kMaxBytes = uint64_t{1} << 30;

  // max_bytes: limit of the total size. Writing a file removes the least recently used ones beyond it.
  explicit IndexFolder(std::string path, uint64_t max_bytes = kMaxBytes)
      : path_(std::move(path)), max_bytes_(max_bytes) {}

  // Returns $XDG_CACHE_HOME/plainfs, else $HOME/.cache/plainfs; empty if neither is an absolute path.
  static std::string default_path();

  const std::string& path() const { return path_; }

  // Opens the file of the store with that key (index_file.h). name: the readable beginning of the file name.
  // Returns null if it does not exist. Throws the errors of IndexFile::open.
  std::unique_ptr<const IndexFile> open(std::string_view name, std::string_view key) const;
  // Replaces the file atomically, and creates the folder if it is missing. Throws unreadable if the system
  // refuses; no part of the file remains then.
  void write(std::string_view name, std::string_view key, ByteSpan bytes) const;

  // A turn to read the store's file and replace it. While it is held, other processes wait for theirs.
  class Turn {
   public:
    Turn() = default;  // of nothing
    Turn(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
    ~Turn();
    Turn(Turn&&) = default;
    Turn& operator=(Turn&&) = default;

   private:
    std::string path_;
    Descriptor file_;
  };
  // Waits for a turn, ten seconds at most: a process that is stopped must not stop all others. Then, and
  // where the file system has no locks, one that writes at the same time may discard what the other has
  // added.
  Turn wait_for_turn(std::string_view name, std::string_view key) const;

  // Removes the file of that store, if any. Throws unreadable if the system refuses.
  void remove(std::string_view name, std::string_view key) const;

 private:
  std::string file_of(std::string_view name, std::string_view key) const;
  void make_folder() const;
  void make_room(uint64_t bytes) const;

  const std::string path_;
  const uint64_t max_bytes_;
};
using IndexFolderPtr = std::shared_ptr<const IndexFolder>;

}  // namespace plainfs
