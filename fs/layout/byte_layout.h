// A file in another program's format, as a list of parts with known lengths: bytes in memory, zeros, and
// segments that are generated on read. A read generates only the segments it touches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"
#include "fs/text/view_file.h"

namespace plainfs {

// The size of a block of a laid-out file: as much as the processor's second-level cache holds together with
// the source data.
inline constexpr uint64_t kLayoutBlockBytes = 256 * 1024;

// A request for bytes of a segment or a layout: out.size() bytes from `offset` on.
struct Wanted {
  uint64_t offset;
  std::span<std::byte> out;
  bool sequential = true;  // the reader continues from here; otherwise nearby data are unlikely to be needed
};

// A part of a file. Const and thread-safe.
class Segment {
 public:
  virtual ~Segment() = default;
  virtual uint64_t size() const = 0;
  // Fills wanted.out. Requires: the wanted range lies inside. Throws Error.
  virtual void read(const Wanted& wanted) const = 0;
  // Returns `size` bytes from `offset` on, as read() writes them. Saves a copy if they are a buffer already.
  virtual Bytes bytes(uint64_t offset, uint64_t size, bool sequential) const {
    Bytes bytes(size);
    read({offset, bytes, sequential});
    return bytes;
  }
  // Returns the minimum number of bytes to generate at once, so that the data they come from are decoded
  // once. Blocks of a multiple of it do not share such data.
  virtual uint64_t least_block() const { return 1; }
  // Returns the byte that all of [begin, end) are equal to, if that is known without generating them.
  // Requires: begin < end. Throws like read().
  virtual std::optional<std::byte> same_byte(uint64_t, uint64_t) const { return std::nullopt; }
  // Reports that a sequential reader has finished with [begin, end).
  virtual void release(uint64_t, uint64_t) const {}
};
using SegmentPtr = std::shared_ptr<const Segment>;

class ByteLayout {
 public:
  void put(std::string_view bytes);
  void put(SegmentPtr segment);
  void put(ByteLayout layout);
  void put_zeros(uint64_t count);

  uint64_t size() const { return size_; }
  // Returns the offset of the first segment, or size() without one.
  uint64_t first_segment() const;
  // See Segment. Requires: the range lies inside.
  void read(const Wanted& wanted) const;
  Bytes bytes(uint64_t offset, uint64_t size, bool sequential) const;
  uint64_t least_block() const;
  std::optional<std::byte> same_byte(uint64_t begin, uint64_t end) const;
  void release(uint64_t begin, uint64_t end) const;

 private:
  struct Piece {
    uint64_t begin;
    uint64_t end;
    std::string bytes;   // if there is no segment; empty = zeros
    SegmentPtr segment;  // or null
  };
  template <class Visit>
  void for_each_part(uint64_t begin, uint64_t end, Visit&& visit) const;

  std::vector<Piece> parts_;
  uint64_t size_ = 0;
};

using MakePacked = std::function<std::unique_ptr<const PackedForm>()>;

// Returns a file with the layout that lay_out returns. It is called when the size or content is first
// requested, and again if it threw. version: see Measured::version. pack: creates the compressed form; empty:
// the file has none.
std::unique_ptr<ViewFile> layout_file(std::function<ByteLayout()> lay_out, Context& context,
                                      std::string version = {}, MakePacked pack = nullptr);
// Returns a file with that layout. Its size is known without a pass.
std::unique_ptr<ViewFile> layout_file(ByteLayout layout, Context& context);
// Returns a file like layout_file(lay_out), for a layout that takes no pass: known_size() creates it.
std::unique_ptr<ViewFile> sized_file(std::function<ByteLayout()> lay_out, Context& context);
// Returns a file with short content that takes long to generate; it is generated on first use.
std::unique_ptr<ViewFile> computed_file(std::function<std::string()> make, Context& context,
                                        std::string version = {});

}  // namespace plainfs
