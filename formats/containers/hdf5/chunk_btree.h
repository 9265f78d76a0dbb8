// Where the chunks of a dataset lie: a bounds-checked reader of the chunk index that files of every release
// have by default, the version 1 B-tree, by pread. libhdf5 1.10 will not say how many bytes a chunk has
// without scanning the whole index, and reads as many as the tree says into a buffer of the size that the
// layout says.
// Sources: HDF5 File Format Specification 3.0, sections III.A.1 (B-tree), IV.A.1 (object header), IV.A.2.i
// (layout message), IV.A.2.q (continuation).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "formats/containers/hdf5/global_heap.h"
#include "formats/core/base/file.h"
#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs::hdf5 {

struct StoredChunk {
  uint64_t offset;  // in the file, user block included; offset + size lie in it
  uint32_t size;
  uint32_t filter_mask;  // bit i: filter i was left out when it was written
};

// One of them, and its place in the grid of chunks.
struct PlacedChunk {
  Shape place;
  StoredChunk stored;
};

// The data layout message of a dataset that is kept in chunks.
struct ChunkLayout {
  bool has_btree;                // else another index: the message is of version 4
  std::optional<uint64_t> root;  // of the tree, from the base address; none where nothing was written
  Shape chunk_shape;             // without the size of an element
  uint64_t element_size;
};

// Reads the object header at address (from the base address). Throws damaged where no layout of chunks is
// found in it. Does not ask the cache.
ChunkLayout read_chunk_layout(const File& file, const FileLayout& layout, uint64_t address);

// One node, parsed. Keys ascend; key i is the first element of what child i holds.
struct ChunkNode {
  struct Child {
    uint64_t address;
    uint32_t size;
    uint32_t filter_mask;
  };
  unsigned level = 0;
  std::vector<uint64_t> keys;  // children + 1 times: an element offset per axis, and one in the element
  std::vector<Child> children;
  size_t allocated_bytes() const {
    return sizeof *this + keys.capacity() * sizeof keys[0] + children.capacity() * sizeof children[0];
  }
};

// Const and thread-safe; nodes are kept in the cache, so it is not asked under the library's lock.
class ChunkBtree {
 public:
  // Requires: chunks.has_btree; file outlives it.
  ChunkBtree(const File& file, FileLayout layout, Context& context, ChunkLayout chunks);

  // The chunks whose places in the grid of chunks lie in the box, in C order; what is not among them is not
  // stored. Goes down the tree once for those that are neighbours in it, and past what is absent at once.
  // Throws damaged where what is on the way to them is no tree.
  std::vector<PlacedChunk> find(const Box& places) const;
  // Whether there are any.
  bool holds_any(const Box& places) const;

 private:
  class Search;
  ChunkNode load(uint64_t address) const;
  void announce_children(const ChunkNode& node) const;
  void visit(Search& search, uint64_t address, unsigned level_above, const uint64_t* limit) const;
  void take(Search& search, const ChunkNode::Child& child, const uint64_t* key) const;
  // -1, 0, 1: the chunk at the place comes before, at or after key.
  int compare(std::span<const uint64_t> place, const uint64_t* key) const;
  bool ascend(const uint64_t* key, const uint64_t* next) const;
  StoredChunk checked(const ChunkNode::Child& child) const;

  const File& file_;
  FileLayout layout_;
  Context& context_;
  ChunkLayout chunks_;
  uint64_t cache_owner_;
};

}  // namespace plainfs::hdf5
