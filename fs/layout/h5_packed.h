// An HDF5 file with datasets that are divided into chunks and compressed, as h5py writes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/containers/hdf5/library/skeleton.h"
#include "formats/core/model/arrays/array.h"
#include "fs/layout/byte_layout.h"
#include "fs/text/packed_form.h"

namespace plainfs {

// One object of a file.
struct H5Part {
  hdf5::SkeletonObject object;
  // For datasets of numbers or text of fixed length: the elements, in C order. Null as well for records,
  // texts in memory and empty datasets, which are complete without it.
  SegmentPtr segment{};
  ArrayPtr texts{};       // for datasets of text of any length
  bool may_grow = false;  // along growing_axis
  size_t growing_axis = 0;
  std::vector<uint64_t> chunk{};  // its shape; empty: by H5Packing
};

// The storage options of a file's datasets.
struct H5Packing {
  int usual_level = 4;          // h5py's
  uint64_t chunk_elements = 0;  // for datasets of one axis; 0: h5py's choice
  bool is_shuffled = false;
  bool may_all_grow = false;
  bool leaves_out_zeros = false;  // chunks of zeros only are not stored: readers know them by the fill value
  std::string user_block{};       // see hdf5::write_skeleton()
};

// Returns the chunk shape that h5py 3.7 chooses (h5py/_hl/filters.py, guess_chunk), but with fewer rows if
// all chunks side by side would exceed band_bytes. Requires: shape is not empty.
std::vector<uint64_t> h5py_chunk(const std::vector<uint64_t>& shape, uint32_t element_size,
                                 uint64_t band_bytes = uint64_t{32} << 20);

// Returns the compressed form. Requires: parts are in the order of creation, groups before their members.
std::unique_ptr<const PackedForm> h5_packed(std::vector<H5Part> parts, const H5Packing& packing,
                                            Context& context);

}  // namespace plainfs
