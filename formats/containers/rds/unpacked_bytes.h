// The bytes of a file as if it were not compressed, at any place. A pass over them is made first, which finds
// where decompression may begin again, or one of an earlier session is known; after it pages of them are in
// the cache, and what is not there is decompressed anew from the place before it. So memory does not depend
// on how much there is. Each page has to be what it was in the pass.
#pragma once

#include <memory>
#include <vector>

#include "cache/mutex.h"
#include "formats/containers/rds/byte_source.h"
#include "formats/containers/rds/pass.h"
#include "formats/core/model/context.h"

namespace plainfs::rds {

// Thread-safe, but for what has to be called before anything else.
class UnpackedBytes {
 public:
  UnpackedBytes(FilePtr file, Compression compression, Context& context);

  // All bytes once, from the first; says in the log how far it is. To be used up, and called once, before
  // anything is read at a place.
  std::unique_ptr<ByteSource> first_pass();
  // In place of it: what one has found. Before anything is read.
  void adopt(Pass pass);
  // What the pass has found; its vectors are filled by the reader of the stream.
  Pass& pass() { return pass_; }
  const Pass& pass() const { return pass_; }
  bool is_adopted() const { return is_adopted_; }

  // Exactly out.size() bytes. Throws damaged where there are not so many, and unsupported where, of xz, what
  // lies between two places to begin again is more than the cache holds: each such read could cost all of it.
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
  const uint64_t most_between_places_;  // decompressed bytes: what the cache holds
  Pass pass_;
  bool is_adopted_ = false;
  mutable Mutex mutex_;  // one decompresses at a time
  mutable std::vector<Reader> readers_ GUARDED_BY(mutex_);
  mutable uint64_t now_ GUARDED_BY(mutex_) = 0;
};

}  // namespace plainfs::rds
