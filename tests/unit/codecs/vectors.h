// The vectors of vectors.json, written by make_vectors.py: chunks encoded by the formats' own tools.
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
  // For object codecs: each element in the form of elements_text.
  std::vector<std::string> elements;
  bool is_object = false;
};

const std::vector<CodecVector>& codec_vectors();

// Returns each element as text: JSON of json, text and sequences of integers, hex of blobs, "missing"; the
// fields of a record one after another, separated by blanks.
std::vector<std::string> elements_text(const DType& type, const Elements& elements);

}  // namespace plainfs
