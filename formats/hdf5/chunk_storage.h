// Chunked data. The raw bytes of a chunk come from the library (H5Dread_chunk, under its lock), the filters
// are undone by plainfs's own codecs outside it, so that several threads decode at once. Chunks of a few KB,
// as SeuratDisk writes them, are read in groups: one taking of the lock, one cache entry.
//
// An absent chunk and one that cannot be found both make H5Dread_chunk fail; H5Dread of that chunk decides,
// and fills the absent one. Pipelines with a filter that only the library has (szip, n-bit, scale-offset,
// plugins) are read by H5Dread altogether. Pitfall avoided: H5Dget_chunk_info is a linear search in
// libhdf5 1.10.
#pragma once

#include <vector>

#include "formats/hdf5/open_dataset.h"
#include "formats/hdf5/storage.h"

namespace plainfs::hdf5 {

class ChunkStorage : public Storage {
 public:
  // creation: the dataset's creation properties. Requires: the library's lock is held.
  ChunkStorage(hid_t creation, DatasetPlace place);

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
  // These three require the library's lock or take it.
  bool fetch(const OpenDataset& dataset, RawChunk& raw) const;
  void fill(const OpenDataset& dataset, const Box& part, const Box& box, const Shape& block_shape,
            std::byte* out) const;
  // The raw chunks that box touches. Those that are not there are filled in by the library, or are found
  // damaged. out: becomes the block, with what is filled in; stays empty where one raw chunk is all of it.
  std::vector<RawChunk> fetch_box(const Box& box, const Shape& block_shape, Bytes& out) const;
  std::vector<DecodedSize> sizes_between(const RawChunk& raw) const;
  // The decoded chunk. raw.bytes are used up.
  Bytes undo_filters(RawChunk& raw) const;

  DatasetPlace place_;
  Shape chunk_shape_;
  uint64_t chunk_bytes_ = 0;  // of a decoded chunk
  Shape block_shape_;
  std::vector<Filter> filters_;  // in the order of writing
  bool partial_unfiltered_ = false;
  bool by_library_ = false;  // some filter is the library's alone, and it has them all
  TypeHandle stored_bytes_;
  DatasetOpener opener_;
};

}  // namespace plainfs::hdf5
