// One element of any DType as plain text or as JSON (fs/VIEWS.md, section 2). All functions require that
// `elements` are of `type` and i < elements.count.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/model/elements/dtype.h"
#include "formats/core/model/elements/elements.h"
#include "formats/core/text/json.h"

namespace plainfs {

// Appends the element as it is written without quotes, NA if it is missing. Returns true for text, which CSV
// may have to quote, and false for a number, a truth value, a time or a missing value. Text stored as bytes
// may be invalid UTF-8: the caller checks it.
bool append_plain(const DType& type, const Elements& elements, uint64_t i, std::string& out);
// Returns what append_plain() appends.
inline std::string plain_text(const DType& type, const Elements& elements, uint64_t i) {
  std::string text;
  append_plain(type, elements, i, text);
  return text;
}

// Appends the element as a JSON value. Throws damaged for text that is not UTF-8.
void append_json(const DType& type, const Elements& elements, uint64_t i, std::string& out);

// Returns the element as a JSON value. Its text is the stored text: it may be invalid UTF-8, and numbers may
// be "Inf".
Json json_of(const DType& type, const Elements& elements, uint64_t i);

}  // namespace plainfs
