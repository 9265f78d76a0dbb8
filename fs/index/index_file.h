// One file of the index: measurements of the files of one store, and the state of the store when they were
// taken.
//
// The format, version 3 (numbers are little-endian; "count" and "number" are LEB128, "text" is a count and so
// many bytes):
//   16 bytes   "plainfs index 3\n"
//   u64, u32   bytes of the directory, CRC-32C of the directory
//   directory  text     the key: the store and the options it was opened with
//              count    sources, then of each: text name, text stamp (formats/core/base/sources.h)
//              count    files, then of each, by path: count of bytes it has in common with the path before,
//                       text the rest of the path, number offset and number length of its measurements,
//                       counted from the end of the directory, u32 CRC-32C of them
//   measured   of each file (fs/text/measured.h): text version, count of numbers, each as the difference
//              (zigzag) from the one before
//
// It contains only lengths, of files and of the blocks of texts. It contains no bytes that a file shows, and
// nothing that determines them. Each length is compared with the store when the file or block is generated,
// and an index with a wrong length is discarded. The offset of a block cannot be compared, as it is the sum
// of all lengths before it. A writer of the file, able to adapt its checksums, could therefore shift the
// content for a reader that starts in the middle of a text. So only the user's own index files are read, and
// those beside a store with the same owner or server as the store. Passes over the bytes of a store
// (kept_passes.h) are numbers as well, and have a checksum of all that they lead to. Checksums and bounds
// keep a file from crashing or exhausting plainfs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/base/file.h"
#include "formats/core/base/sources.h"
#include "fs/text/measured.h"

namespace plainfs {

class Cursor;

Bytes encode_measured(const Measured& measured);
// Throws damaged.
MeasuredPtr decode_measured(ByteSpan bytes);

struct IndexEntry {
  std::string path;  // from the store's root, as shown
  Bytes measured;    // encoded
};

// Encodes an index. entries: sorted by path, each path once. Throws unsupported if it would be too large to
// read.
Bytes encode_index(std::string_view key, const std::vector<SourceStamp>& sources,
                   const std::vector<IndexEntry>& entries);

// An open index file. Immutable and thread-safe. Replacing the file on disk does not affect it.
class IndexFile {
 public:
  struct Place {
    std::string_view path;
    uint64_t offset;  // of the measurements, in the file
    uint64_t length;
    uint32_t checksum;
  };

  // Opens an index file. Returns null if it does not exist. Throws damaged if it is not an index of that
  // version or has another key, and unreadable if it belongs to another user, is not a regular file, or the
  // system fails.
  static std::unique_ptr<const IndexFile> open(const std::string& path, std::string_view key);
  // Opens an index file beside a store. The owner does not matter. Returns null if it has another key.
  // folder: of the store, with a trailing slash; it is prepended to the names of the sources.
  static std::unique_ptr<const IndexFile> beside(FilePtr file, std::string_view key,
                                                 const std::string& folder);
  ~IndexFile();
  IndexFile(const IndexFile&) = delete;
  IndexFile& operator=(const IndexFile&) = delete;

  const std::vector<SourceStamp>& sources() const { return sources_; }
  const std::vector<Place>& places() const { return places_; }
  // Returns the entry of that path, or null.
  const Place* find(std::string_view path) const;
  // Returns the encoded measurements. Throws damaged if they are not what was written.
  Bytes measured(const Place& place) const;

 private:
  IndexFile(int descriptor, FilePtr file) : descriptor_(descriptor), file_(std::move(file)) {}
  // Returns false if the file has another key.
  bool read_directory(std::string_view key);
  void read_places(Cursor& cursor, uint64_t begin);
  Bytes read(uint64_t offset, uint64_t size) const;

  const int descriptor_;  // -1: file_ is read instead
  const FilePtr file_;
  uint64_t file_size_ = 0;
  std::vector<SourceStamp> sources_;
  std::string paths_;  // of all places, concatenated
  std::vector<Place> places_;
};

}  // namespace plainfs
