// A bit-packed rank-1 array of uint32 (bp128.h). A read decodes the blocks that it touches straight into its
// result. It reads only the words of the stored arrays that these blocks need.
#pragma once

#include <string>

#include "formats/containers/bpcells/bp128.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs::bpcells {

// The stored arrays of NAME, each of rank 1.
struct PackedParts {
  ArrayPtr data;  // NAME_data: uint32 words, 4 * width for each block
  ArrayPtr idx;   // NAME_idx: uint32, blocks + 1 positions in data, modulo 2^32
  // NAME_idx_offsets: uint64; positions [[j], [j + 1]) of idx gain j * 2^32. Null in v1, which adds nothing.
  ArrayPtr idx_offsets;
  ArrayPtr starts;  // NAME_starts: uint32, one for each block; null unless the transform uses them
};

// Returns an array of count values. If added is not null, its values are added to the unpacked ones, modulo
// 2^32: the end of a fragment is stored as its length. Throws damaged if the lengths of the parts do not fit
// count or there are too few words. Reading throws damaged if the positions imply a width outside 0 to 32
// bits.
ArrayPtr packed_array(std::string name, PackedParts parts, Transform transform, uint64_t count,
                      ArrayPtr added, Context& context);

}  // namespace plainfs::bpcells
