// Chunked data. The raw bytes of a chunk are read by pread where the index of chunks is a version 1 B-tree
// (chunk_btree.h), else by the library (H5Dread_chunk, under its lock); the filters are undone by plainfs's
// own codecs, so that several threads decode at once. Chunks of a few KB, as SeuratDisk writes them, are read
// in groups: one cache entry, and one taking of the lock.
//
// H5Dread fills absent chunks. Pipelines with a filter that only the library has (a plugin) are read by
// H5Dread altogether. Pitfalls avoided: the size that a version 1 B-tree says an unfiltered chunk has is not
// the one that H5Dget_chunk_storage_size gives, but H5Dread_chunk reads as many bytes; H5Dget_chunk_info is a
// linear search in libhdf5 1.10. Other indexes have no size for an unfiltered chunk, and give both calls the
// same for a filtered one.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "formats/hdf5/chunk_btree.h"
#include "formats/hdf5/open_dataset.h"
#include "formats/hdf5/storage.h"

namespace plainfs::hdf5 {

class ChunkStorage : public Storage {
 public:
  // creation: the dataset's creation properties. Requires: the library's lock is held.
  ChunkStorage(hid_t dataset, hid_t creation, DatasetPlace place);

  Shape block_shape() const override { return block_shape_; }
  const Shape& chunk_shape() const { return chunk_shape_; }
  Bytes read(const Box& box, const Shape& block_shape) const override;

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

  void read_pipeline(hid_t creation);
  static bool is_left_out(const RawChunk& raw, size_t filter);
  Box chunk_box(const Shape& chunk) const;  // clipped to the dataset
  // Null where the library has to find the chunks.
  std::unique_ptr<const ChunkBtree> open_index() const;
  // The chunk as stored, by pread or by the library (which wants its lock held). False where there is none;
  // the library's answer is the same for one that cannot be found.
  bool fetch(const ChunkBtree& index, RawChunk& raw) const;
  bool fetch(const OpenDataset& dataset, RawChunk& raw) const;
  struct Fetched {
    std::vector<RawChunk> chunks;
    std::vector<Shape> absent;  // their places in the grid
  };
  // The raw chunks that box touches.
  Fetched fetch_box(const Box& box) const;
  // H5Dread of part, a chunk that is absent or several, to its place in the block of box.
  void fill(const OpenDataset& dataset, const Box& part, const Box& box, const Shape& block_shape,
            std::byte* out) const;
  // Everything that is absent in box. Throws damaged where it is not absent to the library.
  void fill_absent(const Fetched& fetched, const Box& box, const Shape& block_shape, std::byte* out) const;
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
  TypeHandle stored_bytes_;
  DatasetOpener opener_;
  bool library_has_btree_ = false;
  mutable std::once_flag index_opened_;
  mutable std::unique_ptr<const ChunkBtree> index_;  // made by the first read, by index_opened_
};

}  // namespace plainfs::hdf5
