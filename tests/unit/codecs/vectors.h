// The vectors of vectors.json, which make_vectors.py wrote: chunks as the formats' own tools encode them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/codecs/codec.h"

namespace plainfs {

struct CodecVector {
  std::string name;
  std::string id;
  Json configuration;
  DType dtype;
  Bytes encoded;
  Bytes decoded;                // codecs to bytes
  std::vector<uint64_t> shape;  // object codecs
  // Object codecs: each element as elements_text gives it.
  std::vector<std::string> elements;
  bool is_object = false;
};

const std::vector<CodecVector>& codec_vectors();

// Each element as text: JSON of json, text and sequences of integers, hex of blobs, "missing"; a record's
// fields one after another with blanks between.
std::vector<std::string> elements_text(const DType& type, const Elements& elements);

}  // namespace plainfs
