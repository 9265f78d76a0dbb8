// One element of any DType as plain text or as JSON (fs/VIEWS.md, section 2). Requires throughout: elements
// are of type, i < elements.count.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/model/dtype.h"
#include "formats/core/model/elements.h"
#include "formats/core/text/json.h"

namespace plainfs {

// Appends the element as it is written outside quotes; NA where it is missing. Returns whether it is text,
// which CSV quotes where it has to, and not a number, truth value, time or missing. Text that is stored as
// bytes may be no UTF-8: the caller checks.
bool append_plain(const DType& type, const Elements& elements, uint64_t i, std::string& out);

// Appends the element as a JSON value. Throws damaged for text that is not UTF-8.
void append_json(const DType& type, const Elements& elements, uint64_t i, std::string& out);

// The same as a value, whose text is what is stored: it may be no UTF-8, and numbers may be "Inf".
Json json_of(const DType& type, const Elements& elements, uint64_t i);

}  // namespace plainfs
