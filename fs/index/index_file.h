// One file of the index: what is known of the files that one store is shown as, and what the store looked
// like when that was found out.
//
// The format, version 3 (numbers are little-endian; "count" and "number" are LEB128, "text" is a count and so
// many bytes):
//   16 bytes   "plainfs index 3\n"
//   u64, u32   bytes of the directory, CRC-32C of the directory
//   directory  text     the key: the store and the options it was opened with
//              count    sources, then of each: text name, text stamp (formats/core/base/sources.h)
//              count    files, then of each, by path: count of bytes it has in common with the path before,
//                       text the rest of the path, number offset and number length of what is measured,
//                       counted from the end of the directory, u32 CRC-32C of them
//   measured   of each file (fs/text/measured.h): text version, count of numbers, each as the difference
//              (zigzag) from the one before
//
// It holds lengths only, of files and of the blocks of texts: no byte that a file shows, and nothing that a
// byte is decided by. Each length is compared with the store when what it is of is made, and an index that
// says a wrong one is thrown away. What cannot be compared is where a block begins: that is the sum of all
// lengths before it, so a writer of the file, with its checksums, can shift what a reader finds that begins
// in the middle of a text. So only the user's own files are read, and those
// beside a store whose owner, or whose server, is the store's. Passes over the bytes of a store
// (kept_passes.h) are numbers too, which bring a checksum of all that they lead to. Nothing
// in it crashes or exhausts plainfs: checksums and bounds.
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

// entries: by path, each path once. Throws unsupported where it would be too large to be read again.
Bytes encode_index(std::string_view key, const std::vector<SourceStamp>& sources,
                   const std::vector<IndexEntry>& entries);

// Immutable and thread-safe. The file stays open: replacing it makes another one.
class IndexFile {
 public:
  struct Place {
    std::string_view path;
    uint64_t offset;  // of what is measured, in the file
    uint64_t length;
    uint32_t checksum;
  };

  // Null where nothing is there. Throws damaged where it is no index of that version or another key's,
  // unreadable where it is another user's, no plain file, or the system fails.
  static std::unique_ptr<const IndexFile> open(const std::string& path, std::string_view key);
  // The same of a file that lies beside a store, whoever's it is, and null for another key's. folder: of the
  // store, with a slash at its end, which the names of its sources are without.
  static std::unique_ptr<const IndexFile> beside(FilePtr file, std::string_view key,
                                                 const std::string& folder);
  ~IndexFile();
  IndexFile(const IndexFile&) = delete;
  IndexFile& operator=(const IndexFile&) = delete;

  const std::vector<SourceStamp>& sources() const { return sources_; }
  const std::vector<Place>& places() const { return places_; }
  // Null where nothing is known of that path.
  const Place* find(std::string_view path) const;
  // Encoded. Throws damaged where they are not what was written.
  Bytes measured(const Place& place) const;

 private:
  IndexFile(int descriptor, FilePtr file) : descriptor_(descriptor), file_(std::move(file)) {}
  // False where it is another key's.
  bool read_directory(std::string_view key);
  void read_places(Cursor& cursor, uint64_t begin);
  Bytes read(uint64_t offset, uint64_t size) const;

  const int descriptor_;  // -1: file_ is read instead
  const FilePtr file_;
  uint64_t file_size_ = 0;
  std::vector<SourceStamp> sources_;
  std::string paths_;  // of all places, one after the other
  std::vector<Place> places_;
};

}  // namespace plainfs
