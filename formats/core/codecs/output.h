// Where codecs put what they decode. The output grows no further than the caller allows, and only as the data
// really come where its size is not known before.
#pragma once

#include <algorithm>
#include <string_view>

#include "formats/core/codecs/codec.h"

namespace plainfs {

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
