// The decoder of one stage of a chunk's encoding. Containers build a chain of codecs from a chunk's metadata
// (Zarr's JSON, HDF5's filter pipeline) and run it backwards. A codec is immutable and thread-safe, and does
// not trust the data: it allocates no more than its caller allows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/model/elements/dtype.h"
#include "formats/core/model/elements/elements.h"
#include "formats/core/text/json.h"

namespace plainfs {

// The permitted size of decode's output.
struct DecodedSize {
  uint64_t bytes;
  bool exact;  // if false, bytes is the maximum
  static DecodedSize exactly(uint64_t bytes) { return {bytes, true}; }
  static DecodedSize at_most(uint64_t bytes) { return {bytes, false}; }
};

// The input and output of a codec. Zarr v3 requires array -> array codecs first, then one array -> bytes,
// then bytes -> bytes.
enum class CodecRole { array_to_array, array_to_bytes, bytes_to_bytes };

// An array between codecs of Zarr v3: the type and shape of a stage's input.
struct ArrayStage {
  DType dtype;
  std::vector<uint64_t> shape;
};

// The encoded bytes of a chunk, for reading them in part.
struct EncodedSource {
  uint64_t size;
  std::function<Bytes(uint64_t offset, uint64_t size)> read;  // throws damaged beyond the end
};

// A codec for bytes -> bytes and array -> array stages. The latter see the chunk as a flat run of numbers in
// storage order.
class Codec {
 public:
  virtual ~Codec() = default;
  // Throws damaged if `encoded` is not valid output of the codec, or if the size is not the permitted one.
  virtual Bytes decode(Bytes encoded, DecodedSize size) const = 0;
  // Returns bytes [offset, offset + size) of the decoded_bytes bytes that decode returns, if they cost much
  // less than all of them. Returns nullopt otherwise, and if only decode can report the error.
  // Requires: offset + size <= decoded_bytes, size > 0.
  virtual std::optional<Bytes> decode_part(const EncodedSource&, uint64_t /*decoded_bytes*/,
                                           uint64_t /*offset*/, uint64_t /*size*/) const {
    return std::nullopt;
  }
  // Returns the size of the encoded form of `decoded_bytes` bytes if it follows from the configuration
  // (checksums, shuffle, delta); nullopt for compressors. Throws damaged if no data of that size can be
  // encoded.
  virtual std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const = 0;
  virtual CodecRole role() const { return CodecRole::bytes_to_bytes; }
  // Returns the array that an array -> array codec of Zarr v3 makes of `decoded`. Other codecs return it
  // unchanged.
  virtual ArrayStage encoded_stage(const ArrayStage& decoded) const { return decoded; }
};
using CodecPtr = std::unique_ptr<const Codec>;

// A codec for bytes -> elements of variable length (text, blobs, JSON values): Zarr's object codecs.
class ObjectCodec {
 public:
  virtual ~ObjectCodec() = default;
  // Returns the type of its elements: text, blob, sequence, json, or a compound (pickled records).
  virtual DType dtype() const = 0;
  // Returns exactly product(chunk_shape) elements, in the order given by in_storage_order.
  virtual Elements decode(ByteSpan encoded, std::span<const uint64_t> chunk_shape) const = 0;
  // Returns whether the elements are in the order in which the chunk is stored, so that .zarray's "order":
  // "F" applies as it does for numbers. Otherwise they are in C order whatever the metadata state (JSON,
  // msgpack, pickle).
  virtual bool in_storage_order() const { return false; }
};
using ObjectCodecPtr = std::unique_ptr<const ObjectCodec>;

// Output buffers for codecs. The output never exceeds the caller's limit. If its size is not known in
// advance, it grows only as data are produced.

// Throws damaged("codec: ...") if a decoded size is not the permitted one.
void check_decoded_size(std::string_view codec, uint64_t bytes, DecodedSize allowed);

// A buffer that grows towards a limit, for decoders that stream.
class GrowingOutput {
 public:
  // encoded_bytes: determines the initial size.
  GrowingOutput(std::string_view codec, uint64_t encoded_bytes, DecodedSize allowed);

  // Returns the unused part. It has one byte more than permitted, so that a decoder with too much output is
  // detected.
  std::byte* free_data() { return bytes_.data() + used_; }
  size_t free_size() const { return bytes_.size() - used_; }
  // Throws damaged if more than permitted was written.
  void advance(size_t written);
  // Grows the buffer if it is full. Requires: less than the limit is used.
  void make_room();
  // Returns the bytes, which must have the permitted size.
  Bytes finish();

 private:
  std::string_view codec_;
  DecodedSize allowed_;
  Bytes bytes_;
  size_t used_ = 0;
};

}  // namespace plainfs
