// The positions of a dataset's chunks in the file: a bounds-checked reader, by pread, of the version 1
// B-tree. All releases of HDF5 write this chunk index by default. libhdf5 1.10 scans the whole index to find
// the size of one chunk. It also reads as many bytes as the tree states into a buffer of the size that the
// layout states.
// Sources: HDF5 File Format Specification 3.0, sections III.A.1 (B-tree), IV.A.1 (object header), IV.A.2.i
// (layout message), IV.A.2.q (continuation).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "formats/containers/hdf5/global_heap.h"
#include "formats/core/base/file.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs::hdf5 {

struct StoredChunk {
  uint64_t offset;  // in the file, including the user block; offset + size is within the file
  uint32_t size;
  uint32_t filter_mask;  // bit i: filter i was not applied
};

// A stored chunk and its place in the grid of chunks.
struct PlacedChunk {
  Shape place;
  StoredChunk stored;
};

// The data layout message of a chunked dataset.
struct ChunkLayout {
  bool has_btree;                // false: another index, in a message of version 4
  std::optional<uint64_t> root;  // of the tree, from the base address; nullopt if nothing was written
  Shape chunk_shape;             // without the size of an element
  uint64_t element_size;
};

// Reads the object header at address (from the base address). Throws damaged if it has no chunked layout.
// Does not use the cache.
ChunkLayout read_chunk_layout(const File& file, const FileLayout& layout, uint64_t address);

// A parsed node. Keys ascend. Key i is the first element in child i.
struct ChunkNode {
  struct Child {
    uint64_t address;
    uint32_t size;
    uint32_t filter_mask;
  };
  unsigned level = 0;
  std::vector<uint64_t> keys;  // children + 1 times: one offset per axis, and one within the element
  std::vector<Child> children;
  size_t allocated_bytes() const {
    return sizeof *this + keys.capacity() * sizeof keys[0] + children.capacity() * sizeof children[0];
  }
};

// Reads the index. Const and thread-safe. It caches nodes, so do not call it under the library's lock.
class ChunkBtree {
 public:
  // Requires: chunks.has_btree; file outlives this.
  ChunkBtree(const File& file, FileLayout layout, Context& context, ChunkLayout chunks);

  // Returns the stored chunks with places in the box of the grid of chunks, in C order. All others in the box
  // are absent. Descends the tree once for chunks that are neighbours in it, and skips gaps in one step.
  // Throws damaged if the nodes on the way do not form a tree.
  std::vector<PlacedChunk> find(const Box& places) const;
  // Returns whether find() would return any chunks.
  bool holds_any(const Box& places) const;

 private:
  class Search;
  ChunkNode load(uint64_t address) const;
  void announce_children(const ChunkNode& node) const;
  void visit(Search& search, uint64_t address, unsigned level_above, const uint64_t* limit) const;
  void take(Search& search, const ChunkNode::Child& child, const uint64_t* key) const;
  // Returns -1, 0 or 1: the chunk at place comes before, at or after key.
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
