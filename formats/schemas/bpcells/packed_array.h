// A rank-1 array of uint32 that is stored bit-packed (bp128.h). A read decodes the blocks that it touches
// straight into its result, from only those words of the stored arrays that they need.
#pragma once

#include <string>

#include "formats/containers/bpcells/bp128.h"
#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs::bpcells {

// The stored arrays of NAME, each of rank 1.
struct PackedParts {
  ArrayPtr data;         // NAME_data: uint32 words, 4 * width of them a block
  ArrayPtr idx;          // NAME_idx: uint32, blocks + 1 positions in data, modulo 2^32
  ArrayPtr idx_offsets;  // NAME_idx_offsets: uint64; positions [j], [j + 1]) of idx gain j * 2^32. Null in
                         // v1: none does
  ArrayPtr starts;       // NAME_starts: uint32, one a block; null where the transform uses none
};

// count values. Where added is given, its values are added to the unpacked ones, modulo 2^32 (the end of a
// fragment is stored as its length).
// Throws Error(damaged) at once where the lengths of the parts do not fit count or the words end too early,
// and while reading where the positions are no widths of 0 to 32 bits.
ArrayPtr packed_array(std::string name, PackedParts parts, Transform transform, uint64_t count,
                      ArrayPtr added, Context& context);

}  // namespace plainfs::bpcells
