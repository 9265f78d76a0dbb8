// A file under the mountpoint, with an exact size and random access, whatever generates it.
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

// Parts of cached buffers, in order, for replies without a copy. The buffers live as long as the Slices.
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
        {const_cast<std::byte*>(part.data()), part.size()});  // an iovec is not const, but it is only read
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

// A generated file. Thread-safe. Every call throws an error for as long as the cause lasts. Long calls throw
// Cancelled if the calling thread's Request is cancelled (cache/request.h).
class ViewFile {
 public:
  virtual ~ViewFile() = default;
  // Returns the size. The first call may take a pass over the whole content.
  virtual uint64_t size() = 0;
  // Returns the size if it is known or follows from data in memory, as for an .npy; nullopt if it takes a
  // pass over the content.
  virtual std::optional<uint64_t> known_size() { return std::nullopt; }
  // Returns the number of parts in which to measure this file. Files of the same values can be measured side
  // by side, part by part, so that the values are read once: the values of a part should still be in the
  // cache when the next file measures it. Returns 1 if nothing takes a pass.
  virtual uint64_t parts_to_measure() { return 1; }
  // Measures one of `parts` equal parts of the content, unless it is measured already.
  virtual void measure_part(uint64_t /*part*/, uint64_t /*parts*/) {}
  // Returns bytes [offset, offset + size); fewer only at the end of the file.
  virtual Slices read(uint64_t offset, size_t size) = 0;
  // Returns whether the beginning can be read before the size is known, if that takes a pass.
  virtual bool can_read_before_sized() const { return false; }
  // Returns bytes [offset, offset + size) without that pass. Returns nullopt if some of them do not exist,
  // lie beyond the beginning, or meet an error, which read() reports.
  virtual std::optional<Slices> read_beginning(uint64_t /*offset*/, size_t /*size*/) { return std::nullopt; }

  // Returns the last offset at or before `offset` where a read may begin or end without generating the data
  // on the other side. Requires: the size is known.
  virtual uint64_t cut_before(uint64_t offset) const { return offset / kCutBytes * kCutBytes; }

  // Returns what the pass of size() measured, to be kept as long as the size is known; null if there was no
  // pass.
  virtual MeasuredPtr measured() const { return nullptr; }
  // Takes what another file of the same content has measured, or null. Must be called before anything else.
  virtual void adopt(const MeasuredPtr&) {}

  // Returns the index of the lines by position in tabix's format, before compression. Throws unsupported if
  // the lines have no positions or `kind` cannot represent them.
  virtual std::string position_index(IndexKind) { throw unsupported("lines without positions"); }

  // Returns the compressed form of the file; null if its format has none. May look through texts. Throws like
  // size().
  virtual std::unique_ptr<const PackedForm> packed() { return nullptr; }

 private:
  static constexpr uint64_t kCutBytes = 4 << 20;
};

}  // namespace plainfs
