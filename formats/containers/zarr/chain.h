// How one chunk is encoded: steps from array to array, one serializer from array to bytes, codecs from bytes
// to bytes, undone here from last to first. Zarr v2 fits the same shape: order F is a transpose, the object
// codec a serializer, the filters and the compressor are codecs.
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "formats/core/codecs/codec.h"
#include "formats/core/model/array.h"
#include "formats/core/model/axis_order.h"

namespace plainfs::zarr {

// Variable-length chunks have no size that follows from their metadata: none larger than this is read or
// decoded.
inline constexpr uint64_t kMostVariableBytes = uint64_t{1} << 30;

struct Transpose {
  AxisOrder order;
  uint64_t element_size;  // bytes; 0 where the elements have no fixed size
};
// The bytes hold numbers of this type in its stored byte order; the array before has them in native order.
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
  DType stored;  // what unpack() takes: dtype with the byte order of the decoded bytes
  std::vector<ArrayStep> array_steps;
  ObjectCodecPtr object;               // the serializer of elements of variable length, or null
  std::unique_ptr<Sharding> sharding;  // the serializer that makes a chunk of chunks, or null
  std::vector<CodecPtr> byte_codecs;
};

// sharding_indexed: the chunk is a file of inner chunks of chunk_shape with an index of their places
// (zarr-specs, codecs/sharding-indexed).
struct Sharding {
  Shape chunk_shape;  // of the inner chunks, after the array steps
  CodecChain inner;
  CodecChain index;  // of uint64 (offset, size), shape: inner chunks along each axis, then 2
  bool index_at_start = false;
};

// All elements of a chunk of that shape, in C order. Throws damaged where encoded is not exactly such a
// chunk.
Elements decode_chunk(const CodecChain& chain, Bytes encoded, const Shape& shape);

// Rows [first, first + count) along the first axis, where the codecs let them be had for much less than the
// whole chunk; nullopt where not, and where decode_chunk has to tell what is wrong.
std::optional<Elements> decode_rows(const CodecChain& chain, const EncodedSource& encoded, const Shape& shape,
                                    uint64_t first, uint64_t count);

// Throws damaged where encoded_bytes cannot be the size of such a chunk, before they are read.
void check_encoded_size(const CodecChain& chain, uint64_t encoded_bytes, const Shape& shape);

// Throws damaged where so few bytes cannot hold so many, which would have to be allocated first.
void check_plausible(uint64_t encoded_bytes, uint64_t decoded_bytes);

// How many bytes a chunk of that shape has, where that follows from the metadata.
std::optional<uint64_t> encoded_chunk_size(const CodecChain& chain, const Shape& shape);

// The bytes that the serializer wrote: the byte codecs undone. shape: of the whole chunk.
Bytes undo_byte_codecs(const CodecChain& chain, Bytes encoded, const Shape& shape);

}  // namespace plainfs::zarr
