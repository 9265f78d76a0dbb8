// JSON with one value a line, indented as Python's json.dumps prints it.
#pragma once

#include <string>

#include "formats/core/text/json.h"

namespace plainfs {

struct JsonLayout {
  size_t indent;           // spaces for each level
  bool is_sorted = false;  // by key
  bool is_ascii = true;    // all other characters, and DEL, are escaped
};

// Keeps numbers as they are written. Bytes that are not UTF-8 become U+FFFD.
std::string indented_json(const Json& value, JsonLayout layout);

}  // namespace plainfs
