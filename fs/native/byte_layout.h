// A file of another program's format as a list of parts whose lengths are known before their bytes are: bytes
// that are written already, bytes that are zero, and segments that are made on read. Only what a read touches
// is made.
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

// What to make of a segment or a layout: as many bytes as out has, from offset on.
struct Wanted {
  uint64_t offset;
  std::span<std::byte> out;
  bool in_passing = true;  // the reader goes on from here; else nothing near it is likely to be wanted
};

// const and thread-safe.
class Segment {
 public:
  virtual ~Segment() = default;
  virtual uint64_t size() const = 0;
  // Requires: what is wanted lies inside. Throws Error.
  virtual void read(const Wanted& wanted) const = 0;
  // Bytes to make at a time at least, so that what they are made of is decoded once.
  virtual uint64_t least_block() const { return 1; }
  // The byte that all of [begin, end) are, where that is known without making them. Requires: begin < end.
  // Throws as read does.
  virtual std::optional<std::byte> same_byte(uint64_t, uint64_t) const { return std::nullopt; }
  // A reader who goes through the file in order has left [begin, end) behind.
  virtual void passed(uint64_t, uint64_t) const {}
};
using SegmentPtr = std::shared_ptr<const Segment>;

class ByteLayout {
 public:
  void put(std::string_view bytes);
  void put(SegmentPtr segment);
  void put(ByteLayout layout);
  void put_zeros(uint64_t count);

  uint64_t size() const { return size_; }
  // Requires: what is wanted lies inside.
  void read(const Wanted& wanted) const;
  uint64_t least_block() const;
  std::optional<std::byte> same_byte(uint64_t begin, uint64_t end) const;
  void passed(uint64_t begin, uint64_t end) const;

 private:
  struct Piece {
    uint64_t begin;
    uint64_t end;
    std::string bytes;   // where there is no segment; empty = zeros
    SegmentPtr segment;  // or null
  };
  template <class Visit>
  void for_each_part(uint64_t begin, uint64_t end, Visit&& visit) const;

  std::vector<Piece> parts_;
  uint64_t size_ = 0;
};

using MakePacked = std::function<std::unique_ptr<const PackedForm>()>;

// The file that lay_out lays out, when its size or content is asked for first; again where it threw. version:
// of the layout, as Measured has it. pack: makes the compressed form; empty: it has none.
std::unique_ptr<ViewFile> layout_file(std::function<ByteLayout()> lay_out, Context& context,
                                      std::string version = {}, MakePacked pack = nullptr);
// The file that is laid out so: its size is known without a pass.
std::unique_ptr<ViewFile> layout_file(ByteLayout layout, Context& context);
// The file whose content is short and takes long to make: made when it is first asked for.
std::unique_ptr<ViewFile> made_file(std::function<std::string()> make, Context& context,
                                    std::string version = {});

// One of what a directory in another program's format has: a file, or a directory again, made when it is
// asked for.
struct MadeEntry {
  std::string name;
  std::function<std::shared_ptr<ViewFile>()> open;  // of a file
  // Of a directory: what is in it, under distinct names. Computes no size. Throws Error where that cannot be
  // known.
  std::function<std::vector<MadeEntry>()> list = nullptr;
  bool found_by_name = false;  // and in no listing
  // Why it cannot be read for now; the directory is listed again because of it.
  std::optional<Error> fault = std::nullopt;
};
using ListMade = std::function<std::vector<MadeEntry>()>;

}  // namespace plainfs
