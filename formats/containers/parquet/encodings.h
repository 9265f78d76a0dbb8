// The encodings of Parquet's pages (apache/parquet-format, Encodings.md). Each function decodes a whole run.
// All throw damaged if the bytes do not hold what is asked for, and write nothing beyond `out`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/containers/parquet/format.h"
#include "formats/core/base/cursor.h"
#include "formats/core/model/elements/elements.h"

namespace plainfs::parquet {

// Returns the number of bits of the largest value that is stored.
unsigned bits_of(uint64_t largest);

// Unpacks values of `width` bits (at most 64), the lowest bit first. Requires: `packed` holds them.
void unpack_bits(ByteSpan packed, unsigned width, std::span<uint64_t> out);

// Decodes the hybrid of runs and packed values to out.size() values of `width` bits. Bytes behind the last
// value are ignored.
void decode_hybrid(ByteSpan encoded, unsigned width, std::span<uint32_t> out);
// Decodes levels. Throws if one is above `largest`.
void decode_levels(ByteSpan encoded, uint8_t largest, std::span<uint8_t> out);
// Decodes levels in the old packed form, the highest bit first. Returns the number of bytes that they take.
size_t decode_packed_levels(ByteSpan encoded, uint8_t largest, std::span<uint8_t> out);

// Decodes the first `count` values of DELTA_BINARY_PACKED from the cursor. is_exact: there must be no more of
// them; the cursor is then behind the last one.
template <class T>
std::vector<T> decode_delta(Cursor& in, uint64_t count, bool is_exact);

// The type of the values of a page or a dictionary.
struct ValueType {
  Physical physical;
  uint32_t length = 0;  // bytes of a value; 0: its own
};
ValueType value_type(Physical physical, uint32_t length);

// Decodes `count` values. The elements are flat with type.length bytes each (booleans: one), or have bytes
// and offsets. max_bytes: the largest size of the result that is allowed; beyond it, unsupported.
Elements decode_plain(ByteSpan encoded, ValueType type, uint64_t count, uint64_t max_bytes);
// Decodes the values of a data page in an encoding without a dictionary. Throws unsupported for an unknown
// one.
Elements decode_values(ByteSpan encoded, int encoding, ValueType type, uint64_t count, uint64_t max_bytes);

// Decodes the indices of a data page. Throws if one is not below dictionary_size.
std::vector<uint32_t> decode_indices(ByteSpan encoded, uint64_t count, uint64_t dictionary_size);
// Returns the values at those indices.
Elements gather(const Elements& dictionary, uint32_t element_bytes, std::span<const uint32_t> indices,
                uint64_t max_bytes);

// Throws unsupported if a page needs more than max_bytes.
void check_page_bytes(uint64_t bytes, uint64_t max_bytes);

}  // namespace plainfs::parquet
