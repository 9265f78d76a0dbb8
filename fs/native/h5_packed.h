// An HDF5 file whose datasets are divided into chunks and compressed, as h5py writes them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/containers/hdf5/library/skeleton.h"
#include "formats/core/model/array.h"
#include "fs/native/byte_layout.h"
#include "fs/text/packed_form.h"

namespace plainfs {

// One object of a file.
struct H5Part {
  hdf5::SkeletonObject object;
  SegmentPtr segment{};   // of a dataset of numbers and of text of fixed length: its elements, in C order
  ArrayPtr texts{};       // of a dataset of texts of any length
  bool may_grow = false;  // along its first axis
};

// How the datasets of a file are stored.
struct H5Packing {
  int usual_level = 4;          // h5py's
  uint64_t chunk_elements = 0;  // of a dataset of one axis; 0: as h5py chooses
  bool is_shuffled = false;
  bool may_all_grow = false;
};

// Returns the shape of a chunk as h5py 3.7 chooses it (h5py/_hl/filters.py, guess_chunk), but with rows so
// few that all chunks side by side have no more than band_bytes. Requires: shape is not empty.
std::vector<uint64_t> h5py_chunk(const std::vector<uint64_t>& shape, uint32_t element_size,
                                 uint64_t band_bytes = uint64_t{32} << 20);

// Requires: parts stand in the order in which they are created, groups before what is in them.
std::unique_ptr<const PackedForm> h5_packed(std::vector<H5Part> parts, const H5Packing& packing,
                                            Context& context);

}  // namespace plainfs
