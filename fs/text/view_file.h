// One file under the mountpoint: an exact size and random access, nothing about how it came to be.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/base/error.h"
#include "fs/text/measured.h"
#include "fs/text/packed_form.h"

namespace plainfs {

// Parts of cached buffers, in order: a reply without a copy. The buffers live as long as the Slices.
struct Slices {
  std::vector<iovec> parts;
  std::vector<std::shared_ptr<const void>> owners;

  size_t size() const {
    size_t sum = 0;
    for (const iovec& part : parts) sum += part.iov_len;
    return sum;
  }
  void add(ByteSpan part, std::shared_ptr<const void> owner) {
    if (part.empty()) return;
    parts.push_back(
        {const_cast<std::byte*>(part.data()), part.size()});  // an iovec is not const, its readers are
    owners.push_back(std::move(owner));
  }
  // Requires: out.size() >= size()
  void copy_to(std::span<std::byte> out) const {
    size_t at = 0;
    for (const iovec& part : parts) {
      std::memcpy(out.data() + at, part.iov_base, part.iov_len);
      at += part.iov_len;
    }
  }
};

enum class IndexKind {
  tbi,  // for positions up to 2^29
  csi,  // of depth 6: up to 2^32
};

// Thread-safe. Errors are thrown, from any call, for as long as they last. What takes long ends with
// Cancelled where the calling thread's Request is cancelled (cache/request.h).
class ViewFile {
 public:
  virtual ~ViewFile() = default;
  // May take a pass over the whole content, the first time.
  virtual uint64_t size() = 0;
  // The size where it is known or follows from what is at hand, as that of an .npy does; nullopt where it
  // takes a pass over the content.
  virtual std::optional<uint64_t> known_size() { return std::nullopt; }
  // Files that show the same values can be measured side by side, part by part, so that those are read once:
  // in how many parts that is to be, for what a part goes through to be in the cache still for the next file;
  // 1 where nothing takes a pass.
  virtual uint64_t parts_to_measure() { return 1; }
  // Measures one of so many equal parts of the content, where it was not yet.
  virtual void measure_part(uint64_t /*part*/, uint64_t /*parts*/) {}
  // Bytes [offset, offset + size), fewer only at the end of the file.
  virtual Slices read(uint64_t offset, size_t size) = 0;
  // Whether the beginning can be had before the size is known, which takes a pass.
  virtual bool has_beginning() const { return false; }
  // Bytes [offset, offset + size), without that pass; nullopt where they are not all there, lie further than
  // the beginning, or meet an error, which read() will say.
  virtual std::optional<Slices> read_beginning(uint64_t /*offset*/, size_t /*size*/) { return std::nullopt; }

  // The last place at or before offset where reading may begin or end without making what is on its other
  // side. Requires: the size is known.
  virtual uint64_t cut_before(uint64_t offset) const { return offset / kCutBytes * kCutBytes; }

  // What the pass that size() took has measured, to be kept for as long as the size is known; null where it
  // took none.
  virtual MeasuredPtr measured() const { return nullptr; }
  // What another file of the same content had measured, or null. To be called before anything else.
  virtual void adopt(const MeasuredPtr&) {}

  // What the index of its lines by position holds, as tabix reads it, before it is compressed. Throws
  // unsupported where lines have no positions, or the kind does not reach them.
  virtual std::string position_index(IndexKind) { throw unsupported("lines without positions"); }

  // The compressed form of the file; null if its format has none. May look through texts. Throws as size().
  virtual std::unique_ptr<const PackedForm> packed() { return nullptr; }

 private:
  static constexpr uint64_t kCutBytes = 4 << 20;
};

}  // namespace plainfs
