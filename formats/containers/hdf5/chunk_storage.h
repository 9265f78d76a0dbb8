// Chunked data. The raw bytes of a chunk are read by pread where the index of chunks is a version 1 B-tree
// (chunk_btree.h), else by the library (H5Dread_chunk, under its lock); the filters are undone by plainfs's
// own codecs, so that several threads decode at once. Chunks of a few KB, as SeuratDisk writes them, are read
// in groups, each one cache entry.
//
// Where none of the chunks of a box is there, it is one element: nothing is decoded or filled for them, and
// where the index is ours the library is not asked. Beside others an absent chunk is filled. Pipelines with a
// filter that only the library has (a plugin) are read by H5Dread altogether. Pitfalls avoided: the size that
// a version 1 B-tree says an unfiltered chunk has is not the one that H5Dget_chunk_storage_size gives, but
// H5Dread_chunk reads as many bytes; H5Dget_chunk_info is a linear search in libhdf5 1.10. Other indexes have
// no size for an unfiltered chunk, and give both calls the same for a filtered one.
#pragma once

#include <memory>
#include <vector>

#include "cache/cancellable_lock.h"
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
    CodecPtr codec;  // null: plainfs has none
  };
  struct RawChunk {
    Shape chunk;  // its place in the grid of chunks
    Bytes bytes;
    uint32_t filter_mask = 0;  // bit i: filter i was left out when it was written
  };

  void make_pipeline(const std::vector<StoredFilter>& stored);
  static bool is_left_out(const RawChunk& raw, size_t filter);
  Box places_of(const Box& box) const;
  Box chunk_box(const Shape& chunk) const;  // clipped to the dataset
  const ChunkBtree* index() const;
  // Null where the library has to find the chunks.
  std::unique_ptr<const ChunkBtree> open_index() const;
  struct Fetched {
    std::vector<RawChunk> chunks;
    std::vector<Shape> absent;  // their places in the grid; none where all are
  };
  void announce(const std::vector<PlacedChunk>& placed) const;
  // The raw chunks at places in the grid: by pread, or by the library.
  Fetched fetch_by(const ChunkBtree& index, const Box& places) const;
  Fetched fetch_by_library(const Box& places) const;
  RawChunk fetch(const PlacedChunk& placed) const;
  // False where there is none; the library's answer is the same for one that cannot be found.
  bool fetch_by_library(RawChunk& raw) const;
  void read_by_library(const Box& part, const Shape& block_shape, const Shape& origin, std::byte* out) const;
  Bytes absent_element(const Box& box, const Box& places) const;
  Bytes block_of(const Fetched& fetched, const Box& box, const Shape& block_shape) const;
  void require_codecs() const;
  std::vector<DecodedSize> sizes_between(const RawChunk& raw) const;
  // The decoded chunk. raw.bytes are used up.
  Bytes undo_filters(RawChunk& raw) const;

  DatasetPlace place_;
  Shape chunk_shape_;
  uint64_t chunk_bytes_ = 0;  // of a decoded chunk
  Shape block_shape_;
  std::vector<Filter> filters_;  // in the order of writing
  bool partial_unfiltered_ = false;
  bool by_library_ = false;  // some filter is the library's alone (a plugin), and it has them all
  FillElement fill_;
  bool library_has_btree_ = false;
  mutable Once index_opened_;
  mutable std::unique_ptr<const ChunkBtree> index_;  // made by the first index(), by index_opened_
};

}  // namespace plainfs::hdf5
