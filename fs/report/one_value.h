// Arrays of one value, which are shown by that value.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/node.h"

namespace plainfs {

// Returns the value of an array that has exactly one, as a .csv shows it, with control characters escaped.
// Returns nullopt for any other content and for a text of more than `most` bytes. Throws what reading throws.
std::optional<std::string> one_value(const Content& content, size_t most);

// Returns the text that describes such an array: "\"a session\" (text)", "0.5 (float64)"; nullopt for any
// other content, and if the value is long or cannot be read.
std::optional<std::string> one_value_text(const Content& content);

}  // namespace plainfs
