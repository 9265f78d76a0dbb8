// Shared parts of the codecs of mixed objects (JSON, msgpack, pickle). Each element becomes canonical JSON
// text (json.h): None is missing, bytes are lower-case hex, infinities are "Inf" and "-Inf".
#pragma once

#include <span>
#include <string>

#include "formats/core/model/elements/elements.h"
#include "formats/core/text/json.h"

namespace plainfs {

// The most values in a chunk. A value takes many times the bytes that represent it in the chunk, so chunks
// with more are not read.
inline constexpr uint64_t kMaxObjectValues = uint64_t{1} << 24;
// Throws unsupported if there are too many values. Requires: `codec` is a literal.
void check_value_count(std::string_view codec, uint64_t values);

// Adds an element to `out`. May change `value`.
void add_json_element(Json& value, TextBuilder& out);

// Returns the elements of a chunk in numcodecs' JSON or msgpack form: the nested items, then the dtype's
// text, then (with_shape) the shape as a list. codec: for messages.
Elements elements_of_items(std::string_view codec, Json& items, std::span<const uint64_t> chunk_shape,
                           bool with_shape);

}  // namespace plainfs
