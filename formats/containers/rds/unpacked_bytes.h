// Random access to the decompressed bytes of a file. A first pass over them finds the places at which
// decompression can resume, unless the results of an earlier session are known. Afterwards pages of the bytes
// are cached. A page that is not in the cache is decompressed again from the place before it. Memory use
// therefore does not depend on the size of the data. Each page must have its checksum of the pass.
#pragma once

#include <memory>
#include <vector>

#include "cache/mutex.h"
#include "formats/containers/rds/byte_source.h"
#include "formats/containers/rds/pass.h"
#include "formats/core/model/context.h"

namespace plainfs::rds {

// Thread-safe, except for the functions that must be called first.
class UnpackedBytes {
 public:
  UnpackedBytes(FilePtr file, Compression compression, Context& context);

  // Returns all bytes from the first, and logs the progress. Call it once and read it to its end before any
  // random access.
  std::unique_ptr<ByteSource> first_pass();
  // Uses the results of an earlier pass instead of first_pass(). Call it before any read.
  void adopt(Pass pass);
  // Returns the results of the pass. The reader of the stream adds its vectors.
  Pass& pass() { return pass_; }
  const Pass& pass() const { return pass_; }
  bool is_adopted() const { return is_adopted_; }

  // Reads exactly out.size() bytes. Throws damaged if the data end before. Throws unsupported if a block of
  // xz data is larger than the cache, since each such read could then decompress all of it.
  void read_at(uint64_t offset, std::span<std::byte> out) const;
  // Returns the bytes from offset to the end.
  static std::unique_ptr<ByteSource> from(std::shared_ptr<const UnpackedBytes> bytes, uint64_t offset);

  const FilePtr& file() const { return file_; }
  Context& context() const { return context_; }

 private:
  struct Page {
    Bytes bytes;
    size_t allocated_bytes() const { return bytes.capacity(); }
  };
  // A decompressor at some position.
  struct Reader {
    std::unique_ptr<ByteSource> source;
    uint64_t position;
    uint64_t last_used;
  };
  class Rest;
  class FirstPass;

  std::shared_ptr<const Page> page(uint64_t number) const;
  Page load(uint64_t number) const;
  void check(uint64_t number, const Page& page) const;
  SeekPoint place_before(uint64_t offset) const;
  void check_is_near(uint64_t offset) const;
  Reader& reader_before(uint64_t offset) const REQUIRES(mutex_);

  const FilePtr file_;
  const Compression compression_;
  Context& context_;
  const uint64_t cache_owner_;
  const uint64_t most_between_places_;  // decompressed bytes; the size of the cache
  Pass pass_;
  bool is_adopted_ = false;
  mutable Mutex mutex_;  // one thread decompresses at a time
  mutable std::vector<Reader> readers_ GUARDED_BY(mutex_);
  mutable uint64_t now_ GUARDED_BY(mutex_) = 0;
};

}  // namespace plainfs::rds
