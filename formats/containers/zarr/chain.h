// The encoding of one chunk: steps from array to array, one serializer from array to bytes, and codecs from
// bytes to bytes. Decoding undoes them from last to first. Zarr v2 has the same structure: order F is a
// transpose, the object codec a serializer, and the filters and the compressor are codecs.
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "formats/core/codecs/codec.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/arrays/axis_order.h"

namespace plainfs::zarr {

// The metadata do not determine the size of variable-length chunks. Larger ones are neither read nor decoded.
inline constexpr uint64_t kMaxVariableBytes = uint64_t{1} << 30;

struct Transpose {
  AxisOrder order;
  uint64_t element_size;  // bytes; 0 if the elements have no fixed size
};
// A step after which the bytes hold numbers of type stored in its byte order. The array before it has them in
// native order.
struct ByteOrder {
  DType stored;
};
using ArrayStep = std::variant<Transpose, ByteOrder, CodecPtr>;

struct Sharding;

struct CodecChain {
  CodecChain();
  CodecChain(CodecChain&&) noexcept;
  CodecChain& operator=(CodecChain&&) noexcept;
  ~CodecChain();

  DType dtype;   // of the decoded elements
  DType stored;  // the argument of unpack(): dtype with the byte order of the decoded bytes
  std::vector<ArrayStep> array_steps;
  ObjectCodecPtr object;               // the serializer of elements of variable length, or null
  std::unique_ptr<Sharding> sharding;  // the serializer that writes a chunk as inner chunks, or null
  std::vector<CodecPtr> byte_codecs;
};

// The serializer sharding_indexed: the chunk is a file of inner chunks of chunk_shape with an index of their
// places (zarr-specs, codecs/sharding-indexed).
struct Sharding {
  Shape chunk_shape;  // of the inner chunks, after the array steps
  CodecChain inner;
  CodecChain index;  // of uint64 (offset, size); shape: inner chunks along each axis, then 2
  bool index_at_start = false;
};

// Returns all elements of a chunk of this shape in C order. Throws damaged unless encoded is exactly one such
// chunk.
Elements decode_chunk(const CodecChain& chain, Bytes encoded, const Shape& shape);

// Returns rows [first, first + count) along the first axis if the codecs can decode them for much less than
// the whole chunk. Returns nullopt if not, and if decode_chunk has to report an error.
std::optional<Elements> decode_rows(const CodecChain& chain, const EncodedSource& encoded, const Shape& shape,
                                    uint64_t first, uint64_t count);

// Throws damaged if encoded_bytes cannot be the size of a chunk of this shape. Call it before reading them.
void check_encoded_size(const CodecChain& chain, uint64_t encoded_bytes, const Shape& shape);

// Throws damaged if encoded_bytes cannot decode to decoded_bytes. Call it before allocating them.
void check_plausible(uint64_t encoded_bytes, uint64_t decoded_bytes);

// Returns the size in bytes of an encoded chunk of this shape, nullopt if the metadata do not determine it.
std::optional<uint64_t> encoded_chunk_size(const CodecChain& chain, const Shape& shape);

// Undoes the byte codecs and returns the bytes that the serializer wrote. shape: of the whole chunk.
Bytes undo_byte_codecs(const CodecChain& chain, Bytes encoded, const Shape& shape);

}  // namespace plainfs::zarr
