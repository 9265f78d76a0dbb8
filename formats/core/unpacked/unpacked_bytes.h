// Random access to the decompressed bytes of a file. A first pass over them finds the places at which
// decompression can resume, unless the results of an earlier session are known. Afterwards pages of the bytes
// are cached. A page that is not in the cache is decompressed again from the place before it. Memory use
// therefore does not depend on the size of the data. Each page must have its checksum of the pass.
//
// gzip is decompressed by several threads at once, from a place each. A sequential reader has the pages from
// the next place on decompressed ahead by a worker.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/model/context.h"
#include "formats/core/unpacked/byte_source.h"
#include "formats/core/unpacked/pass.h"

namespace plainfs::unpacked {

// Thread-safe, except for the functions that must be called first.
class UnpackedBytes : public std::enable_shared_from_this<UnpackedBytes> {
 public:
  // purpose: what the first pass locates, for its progress ("the values of the R object").
  UnpackedBytes(FilePtr file, Compression compression, Context& context, std::string purpose);

  // Returns all bytes from the first, and logs the progress. Call it once and read it to its end before any
  // random access.
  std::unique_ptr<ByteSource> first_pass();
  // Uses the results of an earlier pass instead of first_pass(). Call it before any read.
  void adopt(Pass pass);
  // Returns the results of the pass.
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
  // A decompressor at some position, used by one thread at a time.
  struct Reader {
    Reader(std::unique_ptr<ByteSource> at, uint64_t output)
        : source(std::move(at)), position(output), expected(output) {}
    Mutex working;
    std::unique_ptr<ByteSource> source GUARDED_BY(working);
    uint64_t position GUARDED_BY(working);
    bool is_lost GUARDED_BY(working) = false;  // after an error the position is unknown
    // Guarded by the owner's mutex_.
    uint64_t expected;  // the position when all threads that use it or wait for it are done
    uint64_t last_used = 0;
  };
  using ReaderPtr = std::shared_ptr<Reader>;
  class Rest;
  class FirstPass;

  std::shared_ptr<const Page> page(uint64_t number) const;
  Page load(uint64_t number) const;
  Page decompress(uint64_t number) const;
  static size_t read_page(Reader& reader, uint64_t offset, Bytes& page) REQUIRES(reader.working);
  void check(uint64_t number, const Page& page) const;
  void read_ahead(uint64_t number) const;
  SeekPoint place_before(uint64_t offset) const;
  void check_is_near(uint64_t offset) const;
  ReaderPtr reader_before(uint64_t offset) const;
  void forget(const ReaderPtr& reader) const;

  const FilePtr file_;
  const Compression compression_;
  Context& context_;
  const std::string purpose_;
  const uint64_t cache_owner_;
  const uint64_t max_between_places_;  // decompressed bytes; the size of the cache
  Pass pass_;
  bool is_adopted_ = false;
  mutable Mutex serial_;  // held while anything but gzip is decompressed, which takes much memory
  mutable Mutex mutex_;
  mutable std::vector<ReaderPtr> readers_ GUARDED_BY(mutex_);
  mutable uint64_t now_ GUARDED_BY(mutex_) = 0;
  // The spans between two places that were read ahead and not reached yet, each at its number modulo the
  // size.
  mutable std::array<std::atomic<uint64_t>, 16> ahead_{};
};

}  // namespace plainfs::unpacked
