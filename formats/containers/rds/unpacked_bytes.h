// The bytes of a file as if it were not compressed, at any place. A pass over them is made first, which finds
// where decompression may begin again; after it pieces of them are in the cache, and what is not there is
// decompressed anew from the place before it. So memory does not depend on how much there is.
#pragma once

#include <memory>
#include <vector>

#include "cache/mutex.h"
#include "formats/containers/rds/byte_source.h"
#include "formats/core/model/context.h"

namespace plainfs::rds {

// Thread-safe, but for first_pass().
class UnpackedBytes {
 public:
  UnpackedBytes(FilePtr file, Compression compression, Context& context);

  // All bytes once, from the first. To be used up, and called once, before anything is read at a place.
  std::unique_ptr<ByteSource> first_pass();

  // Exactly out.size() bytes. Throws damaged where there are not so many.
  void read_at(uint64_t offset, std::span<std::byte> out) const;
  // The bytes from offset to the end. Requires: bytes outlive it.
  static std::unique_ptr<ByteSource> from(std::shared_ptr<const UnpackedBytes> bytes, uint64_t offset);

  const FilePtr& file() const { return file_; }
  Context& context() const { return context_; }

 private:
  struct Page {
    Bytes bytes;
    size_t allocated_bytes() const { return bytes.capacity(); }
  };
  // A decompressor that has come somewhere.
  struct Reader {
    std::unique_ptr<ByteSource> source;
    uint64_t position;
    uint64_t last_used;
  };
  class Rest;

  std::shared_ptr<const Page> page(uint64_t number) const;
  Page load(uint64_t number) const;
  Reader& reader_before(uint64_t offset) const REQUIRES(mutex_);

  const FilePtr file_;
  const Compression compression_;
  Context& context_;
  const uint64_t cache_owner_;
  std::vector<SeekPoint> points_;  // by output; the pass fills it
  mutable Mutex mutex_;            // one decompresses at a time
  mutable std::vector<Reader> readers_ GUARDED_BY(mutex_);
  mutable uint64_t now_ GUARDED_BY(mutex_) = 0;
};

}  // namespace plainfs::rds
