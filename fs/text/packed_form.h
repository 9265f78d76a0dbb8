// The compressed form of a file or a folder, equal to what the usual writer of its format produces from the
// same values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/core/base/bytes.h"

namespace plainfs {

// The destination of a compressed file. May throw anything; write() passes it on.
class PackedSink {
 public:
  virtual ~PackedSink() = default;
  virtual void write_at(uint64_t offset, ByteSpan bytes) = 0;
  // Fills `bytes` with the bytes written at `offset`, or zeros if none were.
  virtual void read_at(uint64_t offset, std::span<std::byte> bytes) = 0;
};

// A compressed form of a file. Const and thread-safe.
class PackedForm {
 public:
  virtual ~PackedForm() = default;
  // Returns the compression level that the usual writer of the format uses, from 1 to 9.
  virtual int usual_level() const = 0;
  // Returns the number of bytes that write() compresses, which is also the sum of the counts passed to
  // has_generated.
  virtual uint64_t bytes() const = 0;
  // Writes the file, compressed on all workers. Returns its size. Throws Error, including Cancelled.
  virtual uint64_t write(int level, PackedSink& out,
                         const std::function<void(uint64_t bytes)>& has_generated) const = 0;
};

// How a folder is compressed.
struct FolderPacking {
  int version = 0;           // of the folder's format; 0: that of its usual writer
  std::optional<int> level;  // 0: not compressed; nullopt: the level of the usual writer
  uint64_t file_bytes = 0;   // about the largest file, before compression; 0: that of the usual writer
};

// One file of a compressed folder.
struct PackedFile {
  std::string path;             // in the folder
  uint64_t bytes = 0;           // before compression; of text about as many
  bool is_of_any_size = false;  // `bytes` is no limit
};

// A compressed form of a folder of files. Const and thread-safe.
class PackedFolder {
 public:
  virtual ~PackedFolder() = default;
  // Returns all files in the order in which an archive has them: what a reader needs first comes first.
  virtual const std::vector<PackedFile>& files() const = 0;
  // Writes a file, compressed on all workers. Every byte is written once, and in order. Returns the size. The
  // counts passed to has_generated add up to PackedFile::bytes. Throws Error, including Cancelled.
  virtual uint64_t write(size_t file, PackedSink& out,
                         const std::function<void(uint64_t bytes)>& has_generated) const = 0;
};

// Throws unsupported if the folder's format has no such version.
using PackFolder = std::function<std::unique_ptr<const PackedFolder>(const FolderPacking& packing)>;

}  // namespace plainfs
