// The base of the codecs from numbers to numbers (numcodecs' delta, fixedscaleoffset, quantize and astype,
// zarr-extensions' scale_offset and cast_value): each number of one type is stored as a number of another.
#pragma once

#include <string_view>

#include "formats/core/codecs/codec.h"

namespace plainfs {

class NumberStage : public Codec {
 public:
  // name: a literal. Throws unsupported if a type is not a number of fixed size.
  NumberStage(std::string_view name, DType decoded, DType encoded);

  Bytes decode(Bytes encoded, DecodedSize size) const final;
  std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const final;
  CodecRole role() const final { return CodecRole::array_to_array; }
  ArrayStage encoded_stage(const ArrayStage& decoded) const final { return {encoded_, decoded.shape}; }

 protected:
  // Converts `count` stored numbers of type encoded_ at `in` to type decoded_ at `out`.
  virtual void convert(const std::byte* in, std::byte* out, uint64_t count) const = 0;

  const std::string_view name_;
  const DType decoded_;
  const DType encoded_;
};

// Returns a codec that casts every number from the type `encoded` to the type `decoded`, like numpy's astype.
// It decodes quantize and astype.
CodecPtr cast_numbers_codec(std::string_view name, DType decoded, DType encoded);

}  // namespace plainfs
