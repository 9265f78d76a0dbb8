// One stage of a chunk's encoding, undone. Containers build a chain of codecs from a chunk's metadata (Zarr's
// JSON, HDF5's filter pipeline) and run it backwards. A codec is immutable, thread-safe and takes nothing
// from the data on trust: it allocates no more than its caller allows.
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
#include "formats/core/model/dtype.h"
#include "formats/core/model/elements.h"
#include "formats/core/text/json.h"

namespace plainfs {

// How large the output of decode may be.
struct DecodedSize {
  uint64_t bytes;
  bool exact;  // else the most that is allowed
  static DecodedSize exactly(uint64_t bytes) { return {bytes, true}; }
  static DecodedSize at_most(uint64_t bytes) { return {bytes, false}; }
};

// What a codec makes of what. Zarr v3 wants array -> array codecs first, then one array -> bytes, then bytes
// -> bytes.
enum class CodecRole { array_to_array, array_to_bytes, bytes_to_bytes };

// An array on its way through the codecs of Zarr v3: the type and shape of what a stage is given.
struct ArrayStage {
  DType dtype;
  std::vector<uint64_t> shape;
};

// The encoded bytes of a chunk, where they need not all be read.
struct EncodedSource {
  uint64_t size;
  std::function<Bytes(uint64_t offset, uint64_t size)> read;  // throws damaged beyond the end
};

// bytes -> bytes, and array -> array stages, which see the chunk as a flat run of numbers in storage order.
class Codec {
 public:
  virtual ~Codec() = default;
  // Throws damaged where encoded is not what the codec writes, or where the size is not the one allowed.
  virtual Bytes decode(Bytes encoded, DecodedSize size) const = 0;
  // Bytes [offset, offset + size) of the decoded_bytes that decode gives, where they can be had for much less
  // than all of them; nullopt where not, and where decode has to tell what is wrong.
  // Requires: offset + size <= decoded_bytes, size > 0.
  virtual std::optional<Bytes> decode_part(const EncodedSource&, uint64_t /*decoded_bytes*/,
                                           uint64_t /*offset*/, uint64_t /*size*/) const {
    return std::nullopt;
  }
  // How many bytes the encoded form of decoded_bytes bytes has, where that follows from the configuration
  // (checksums, shuffle, delta); nullopt for compressors. Throws damaged where no data of that size can be
  // encoded.
  virtual std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const = 0;
  virtual CodecRole role() const { return CodecRole::bytes_to_bytes; }
  // What array -> array codecs of Zarr v3 make of an array; others leave it as it is.
  virtual ArrayStage encoded_stage(const ArrayStage& decoded) const { return decoded; }
};
using CodecPtr = std::unique_ptr<const Codec>;

// bytes -> elements of variable length (text, blobs, JSON values): Zarr's object codecs.
class ObjectCodec {
 public:
  virtual ~ObjectCodec() = default;
  // What its elements are: text, blob, sequence, json, or a compound (pickled records).
  virtual DType dtype() const = 0;
  // Exactly count elements, product(chunk_shape), in the order that in_storage_order tells.
  virtual Elements decode(ByteSpan encoded, std::span<const uint64_t> chunk_shape) const = 0;
  // Whether elements come in the order in which the chunk is stored (.zarray's "order": "F" matters, as it
  // does for numbers); else they come in C order whatever the metadata say (JSON, msgpack, pickle).
  virtual bool in_storage_order() const { return false; }
};
using ObjectCodecPtr = std::unique_ptr<const ObjectCodec>;

// Where codecs put what they decode. The output grows no further than the caller allows, and only as the data
// really come where its size is not known before.

// Throws damaged("codec: ...") where a decoded size is not the one allowed.
void check_decoded_size(std::string_view codec, uint64_t bytes, DecodedSize allowed);

// Bytes that grow towards a limit, for decoders that stream.
class GrowingOutput {
 public:
  // encoded_bytes: a first guess is made from it.
  GrowingOutput(std::string_view codec, uint64_t encoded_bytes, DecodedSize allowed);

  // The unused part. One byte more than allowed is offered, so that a decoder that has more to say shows it.
  std::byte* free_data() { return bytes_.data() + used_; }
  size_t free_size() const { return bytes_.size() - used_; }
  // Throws damaged where more than allowed was written.
  void advance(size_t written);
  // Makes room where there is none; Requires: less than the limit is used.
  void make_room();
  // The bytes, which must have the size allowed.
  Bytes finish();

 private:
  std::string_view codec_;
  DecodedSize allowed_;
  Bytes bytes_;
  size_t used_ = 0;
};

}  // namespace plainfs
