// What the codecs of mixed objects (JSON, msgpack, pickle) share: each element as canonical JSON text
// (json.h), None as a missing one, bytes as lower-case hex, infinities as "Inf" and "-Inf".
#pragma once

#include <span>
#include <string>

#include "formats/core/model/elements.h"
#include "formats/core/text/json.h"

namespace plainfs {

// A value takes many times the bytes that stand for it in a chunk: chunks with more are not read.
inline constexpr uint64_t kMostObjectValues = uint64_t{1} << 24;
// Requires: codec is a literal. Throws unsupported where values are too many.
void check_value_count(std::string_view codec, uint64_t values);

// Adds an element to out. value may be changed.
void add_json_element(Json& value, TextBuilder& out);

// The elements of a chunk in numcodecs' JSON or msgpack form: the nested items, then the dtype's text, then
// (with_shape) the shape as a list. codec: for messages.
Elements elements_of_items(std::string_view codec, Json& items, std::span<const uint64_t> chunk_shape,
                           bool with_shape);

}  // namespace plainfs
