// Chunked data. If the index of chunks is a version 1 B-tree (chunk_btree.h), the raw bytes of a chunk are
// read by pread, otherwise by the library (H5Dread_chunk, under its lock). plainfs's own codecs undo the
// filters, so several threads can decode at once. Chunks of a few KB, as SeuratDisk writes them, are read in
// groups. Each group is one cache entry.
//
// If all chunks of a box are absent, the box is one element: nothing is decoded or filled. With our own index
// the library is not called either. An absent chunk beside stored ones is filled. If a filter exists only in
// the library (a plugin), H5Dread reads everything.
//
// Pitfalls avoided: for an unfiltered chunk, the size in a version 1 B-tree may differ from the result of
// H5Dget_chunk_storage_size, and H5Dread_chunk reads as many bytes as the tree states. H5Dget_chunk_info is a
// linear search in libhdf5 1.10. Other indexes store no size for an unfiltered chunk, and give both calls the
// same size for a filtered one.
#pragma once

#include <memory>
#include <vector>

#include "cache/lazy.h"
#include "formats/containers/hdf5/chunk_btree.h"
#include "formats/containers/hdf5/storage.h"

namespace plainfs::hdf5 {

class ChunkStorage : public Storage {
 public:
  ChunkStorage(const StoredDataset& dataset, DatasetPlace place);

  Shape block_shape() const override { return block_shape_; }
  const Shape& chunk_shape() const { return chunk_shape_; }
  Bytes read(const Box& box, const Shape& block_shape) const override;
  std::optional<Bytes> absent(const Box& box) const override;
  void will_read(const Box& box) const override;

 private:
  struct Filter {
    unsigned number;
    CodecPtr codec;  // null if plainfs has no codec
  };
  struct RawChunk {
    Shape chunk;  // its place in the grid of chunks
    Bytes bytes;
    uint32_t filter_mask = 0;  // bit i: filter i was not applied
  };

  void make_pipeline(const std::vector<StoredFilter>& stored);
  static bool is_left_out(const RawChunk& raw, size_t filter);
  Box places_of(const Box& box) const;
  Box chunk_box(const Shape& chunk) const;  // clipped to the dataset
  const ChunkBtree* index() const;
  // Returns null if the library has to find the chunks.
  std::unique_ptr<const ChunkBtree> open_index() const;
  struct Fetched {
    std::vector<RawChunk> chunks;
    std::vector<Shape> absent;  // their places in the grid; empty if all are absent
  };
  void announce(const std::vector<PlacedChunk>& placed) const;
  // Fetch the raw chunks at places in the grid, by pread or by the library.
  Fetched fetch_by(const ChunkBtree& index, const Box& places) const;
  Fetched fetch_by_library(const Box& places) const;
  RawChunk fetch(const PlacedChunk& placed) const;
  // Returns false if the chunk is absent. The library gives the same answer for a chunk that it cannot find.
  bool fetch_by_library(RawChunk& raw) const;
  void read_by_library(const Box& part, const Shape& block_shape, const Shape& origin, std::byte* out) const;
  Bytes absent_element(const Box& box, const Box& places) const;
  Bytes block_of(const Fetched& fetched, const Box& box, const Shape& block_shape) const;
  void require_codecs() const;
  std::vector<DecodedSize> sizes_between(const RawChunk& raw) const;
  // Returns the decoded chunk. Consumes raw.bytes.
  Bytes undo_filters(RawChunk& raw) const;

  DatasetPlace place_;
  Shape chunk_shape_;
  uint64_t chunk_bytes_ = 0;  // of a decoded chunk
  Shape block_shape_;
  std::vector<Filter> filters_;  // in the order of writing
  bool partial_unfiltered_ = false;
  bool by_library_ = false;  // a filter exists only in the library (a plugin), and it has all filters
  FillElement fill_;
  bool library_has_btree_ = false;
  Lazy<std::unique_ptr<const ChunkBtree>> index_;
};

}  // namespace plainfs::hdf5
